import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../harness/model/report.ts';
import { variants } from './variants.ts';

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'lf-qualify.js');
const engines = ['docker', 'podman'];
/** What no fault touches: a stop with nothing in flight still reaches the service, and its last words arrive. */
const smoke = ['IMG-1', 'IMG-2', 'IMG-3', 'OBS-4'];
/** Commands side by side: each mostly waits; lanes keep what decides about time alone. */
const SIDE_BY_SIDE = 3;

/** One variant under both engines: its clauses and the smoke set. */
async function qualify(fault: string, clauses: readonly string[]): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-variant-'));
  try {
    const only = [...clauses, ...smoke].join(',');
    const options = ['--engine', engines.join(','), '--only', only, '--env', `FAULT=${fault}`];
    const { stdout } = await execa(
      process.execPath,
      [launcher, 'lf-qualify/variants:dev', ...options, '--timeout', '5s', '--out', folder, '--format', 'json'],
      { reject: false, stderr: 'ignore', maxBuffer: 64 * 1024 * 1024 },
    );
    return JSON.parse(stdout) as Report;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('one fault at a time', () => {
  const reports = new Map<string, Report>();
  beforeAll(async () => {
    const waiting = [...variants];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        reports.set(next.fault, await qualify(next.fault, next.clauses));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  });

  it.each(variants)(
    '$fault is caught by $clauses on both engines, and nothing of the smoke set',
    ({ fault, clauses }) => {
      const report = reports.get(fault);
      expect(report?.faults).toEqual([]);
      const verdicts = (report?.targets ?? []).flatMap((target) => target.verdicts);
      const of = (ids: readonly string[]): string[] =>
        verdicts
          .filter(({ clause }) => ids.includes(clause))
          .map(({ engine, clause, outcome }) => `${engine} ${clause} ${outcome}`)
          .toSorted();
      const all = (ids: readonly string[], outcome: string): string[] =>
        engines.flatMap((engine) => ids.map((id) => `${engine} ${id} ${outcome}`)).toSorted();
      const said = verdicts
        .map(({ engine, clause, outcome, seen }) => `${engine} ${clause} ${outcome}: ${seen}`)
        .join('\n');
      expect(of(clauses), said).toEqual(all(clauses, 'fail'));
      expect(of(smoke), said).toEqual(all(smoke, 'pass'));
    },
  );
});
