import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LINE_BYTES } from '../model/log-limits.ts';
import type { ObservationOf } from '../model/observation.ts';
import { readRun } from '../store/read-run.ts';
import { watchPeakMemory } from './peak-memory.suite.ts';
import type { Call } from './testing.suite.ts';
import { call } from './testing.suite.ts';

const GIB = 1024 ** 3;
const LIMIT_MB = 300;
/** Of what a history may be, however much its container wrote. */
const HISTORY_BYTES = 4 * 1024 * 1024;

const engines = ['docker', 'podman'];
const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-flood-'));
let run: Call;
let peaks: ReadonlyMap<string, number>;

beforeAll(async () => {
  // One after the other, each with time to get a gibibyte through its engine's log.
  const profile = join(folder, 'lf-qualify.yaml');
  writeFileSync(profile, 'version: 1\nstartTimeout: 300s\n');
  const asked = ['--engine', engines.join(','), '--only', 'SIG-1', '--jobs', '1', '--profile', profile];
  run = call(['lf-qualify/floods-log:dev', ...asked]);
  const memory = watchPeakMemory(run.process.pid ?? 0);
  await run.process;
  memory.stop();
  peaks = memory.megabytes;
});

afterAll(() => {
  run.dispose();
  rmSync(folder, { recursive: true });
});

describe('an image that writes a gibibyte, 100 MiB of it in one line, and stops well', () => {
  it.each(engines)('passes on %s', (engine) => {
    const verdicts = run.report().targets.find((target) => target.engine === engine)?.verdicts ?? [];
    expect(verdicts.find(({ clause }) => clause === 'SIG-1')).toMatchObject({ outcome: 'pass' });
    expect(run.report().faults).toEqual([]);
  });

  it(`is watched in less than ${LIMIT_MB} MB by each process`, () => {
    const shown = [...peaks].map(([name, megabytes]) => `${Math.round(megabytes)} MB ${name.slice(-80)}`);
    console.log(shown.filter((line) => line.includes('node')).join('\n'));
    expect(peaks.size).toBeGreaterThan(2);
    expect([...peaks].filter(([, megabytes]) => megabytes >= LIMIT_MB)).toEqual([]);
  });

  it('leaves small files, with the beginning, the end, and what is not on record', async () => {
    const directory = join(run.out, 'latest');
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) expect(statSync(path).size, path).toBeLessThan(HISTORY_BYTES);
    }
    const { histories } = await readRun(directory);
    const floods = [...histories.values()].flatMap((history) =>
      history instanceof Error || !history.header.cell.scenario.startsWith('signal/') ? [] : [history],
    );
    expect(floods.map(({ header }) => header.engine.name).toSorted()).toEqual(expect.arrayContaining(engines));
    for (const { observations } of floods) {
      const lines = observations.filter((seen): seen is ObservationOf<'log'> => seen.kind === 'log');
      const leftOut = observations.filter((seen) => seen.kind === 'log.left-out');
      expect(lines[0]).toMatchObject({ text: 'x'.repeat(LINE_BYTES), leftOut: 100 * 1024 ** 2 - LINE_BYTES });
      expect(lines.map(({ text }) => text)).toContain('ready to serve');
      expect(lines.at(-1)?.text).toBe('shutdown completed outcome=graceful');
      expect(leftOut.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(0.85 * GIB);
      expect(observations.find((seen) => seen.kind === 'log.complete')).toMatchObject({ missing: [] });
    }
  });
});
