import type { Header } from '../model/history.ts';
import type { Observation } from '../model/observation.ts';
import { safeJson } from '../model/safe-json.ts';

/** Keys that every line begins with, in this order; the rest follows by name, so that equal lines are equal bytes. */
const headerKeys = ['kind', 'format', 'run', 'cell', 'engine', 'image'];
const observationKeys = ['seq', 't', 'begin', 'kind'];

/** The first line of a history. */
export function headerLine(header: Header): string {
  return line({ kind: 'header', ...header }, headerKeys);
}

/** One line a thing seen. */
export function observationLine(observation: Observation): string {
  return line(observation, observationKeys);
}

function line(value: object, first: readonly string[]): string {
  const rest = Object.keys(value)
    .filter((key) => !first.includes(key))
    .sort();
  const record = value as Readonly<Record<string, unknown>>;
  return `${safeJson(Object.fromEntries([...first, ...rest].map((key) => [key, record[key]])))}\n`;
}
