import type { Report } from '../model/report.ts';
import { safeJson } from '../model/safe-json.ts';
import type { Renderer } from './renderer.ts';

/** Keys that come first, in this order, wherever they occur; all others follow by name. */
const leading: readonly string[] = [
  'format',
  'run',
  'startedAt',
  'harness',
  'clauseSet',
  'strict',
  'summary',
  'effort',
  'outcome',
  'exitCode',
  'engine',
  'image',
  'clause',
  'title',
  'requirement',
  'level',
  'required',
  'seen',
  'accepted',
  'name',
  'version',
  'engines',
  'notJudged',
  'health',
  'faults',
  'targets',
  'facts',
  'ready',
  'tls',
  'basis',
  'assumed',
  'server',
  'discovery',
  'dependencies',
  'seenFrom',
  'delay',
  'stops',
  'windows',
  'startUp',
  'sweeps',
  'scenario',
  'how',
  'verdicts',
  'findings',
  'logs',
  'directory',
  'presets',
];
const rank = new Map(leading.map((key, index) => [key, index]));

function order(a: string, b: string): number {
  const difference = (rank.get(a) ?? leading.length) - (rank.get(b) ?? leading.length);
  return difference !== 0 ? difference : a < b ? -1 : 1;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  // Without a prototype, so that a hostile key `__proto__` stays a key.
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, inner] of Object.entries(value).sort(([a], [b]) => order(a, b))) result[key] = sorted(inner);
  return result;
}

/** The whole report as JSON, `format` first. The order of keys does not depend on how the report was built. */
export function renderJson(report: Report): string {
  return `${safeJson(sorted(report), 2)}\n`;
}

export const jsonRenderer: Renderer = { name: 'json', file: 'report.json', render: renderJson };
