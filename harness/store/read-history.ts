import { readFile } from 'node:fs/promises';
import { StoreError } from '../model/errors.ts';
import type { Header, History } from '../model/history.ts';
import { HISTORY_FORMAT } from '../model/history.ts';
import type { Observation } from '../model/observation.ts';
import type { RawHistory, UpgradeSteps } from './upgrade.ts';
import { historySteps, upgrade } from './upgrade.ts';

/** Reads a `history.jsonl`. Throws StoreError as parseHistory does, and where the file cannot be read. */
export async function readHistory(path: string): Promise<History> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StoreError(`history ${path}: ${(error as Error).message}`, { cause: error });
  }
  return parseHistory(text, path);
}

type Line = Readonly<Record<string, unknown>>;

/**
 * A history from its text. A last line that was cut short is dropped; `complete` says whether the last whole line is the
 * end mark. Throws StoreError with the line number for anything else that is broken, and for a newer format.
 */
export function parseHistory(
  text: string,
  path: string,
  current: number = HISTORY_FORMAT,
  steps: UpgradeSteps<RawHistory> = historySteps,
): History {
  const [headerLine, ...lines] = parseLines(text, path);
  if (headerLine === undefined) throw new StoreError(`history ${path}: ends before its first line is whole`);
  if (headerLine['kind'] !== 'header') throw new StoreError(`history ${path}, line 1: not a header`);
  const { kind: _, ...raw } = headerLine;
  const upgraded = upgrade({ header: raw, observations: lines }, raw['format'], current, steps, `history ${path}`);
  const header = { ...upgraded.header, format: current };
  checkHeader(header, path);
  let last = -1;
  for (const [index, observation] of upgraded.observations.entries()) {
    const problem = observationProblem(observation, last);
    if (problem !== undefined) throw new StoreError(`history ${path}, line ${index + 2}: ${problem}`);
    last = observation['seq'] as number;
  }
  return {
    header: header as unknown as Header,
    observations: upgraded.observations as unknown as readonly Observation[],
    complete: upgraded.observations.at(-1)?.['kind'] === 'end',
  };
}

function parseLines(text: string, path: string): Line[] {
  const pieces = text.split('\n');
  // After a final line end there is one empty piece: only a piece with text was cut short.
  const torn = pieces.pop() ?? '';
  const lines = pieces.map((piece, index) => {
    const value = parseObject(piece);
    if (value === undefined) {
      throw new StoreError(
        `history ${path}, line ${index + 1}: not a JSON object: ${JSON.stringify(piece.slice(0, 60))}`,
      );
    }
    return value;
  });
  const whole = parseObject(torn);
  return whole === undefined ? lines : [...lines, whole];
}

function parseObject(text: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Line {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const headerShape: Readonly<Record<string, 'string' | 'object' | 'array'>> = {
  run: 'string',
  harness: 'object',
  cell: 'object',
  engine: 'object',
  image: 'object',
  ready: 'object',
  envKeys: 'array',
  origin: 'object',
  uncertainty: 'object',
  basis: 'object',
  'cell.path': 'string',
  'cell.clauses': 'array',
  'engine.name': 'string',
  'image.digest': 'string',
  'basis.clauseSet': 'string',
  'basis.levels': 'object',
  'basis.terms': 'object',
};

/** What a judge cannot do without. The rest is written by the same program and taken as it is. */
function checkHeader(header: Line, path: string): void {
  for (const [name, type] of Object.entries(headerShape)) {
    const value = name.split('.').reduce<unknown>((part, key) => (isObject(part) ? part[key] : undefined), header);
    const ok = type === 'array' ? Array.isArray(value) : type === 'object' ? isObject(value) : typeof value === type;
    if (!ok) throw new StoreError(`history ${path}, line 1: the header's ${name} is missing or not ${type}`);
  }
}

function observationProblem(line: Line, lastSeq: number): string | undefined {
  const { seq, t, begin, kind } = line;
  if (typeof kind !== 'string' || kind === 'header') return `kind ${JSON.stringify(kind)} is not one of an observation`;
  if (!Number.isSafeInteger(seq) || (seq as number) <= lastSeq) {
    return `seq ${JSON.stringify(seq)} does not come after ${lastSeq}`;
  }
  if (!Number.isSafeInteger(t)) return `t ${JSON.stringify(t)} is not a whole number of nanoseconds`;
  if (begin === undefined) return undefined;
  if (!Number.isSafeInteger(begin)) return `begin ${JSON.stringify(begin)} is not a whole number of nanoseconds`;
  return (begin as number) > (t as number) ? `begin ${begin} is after t ${t}` : undefined;
}
