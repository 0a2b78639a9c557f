import { beforeEach, describe, expect, it } from 'vitest';
import type { FakeEngine } from '../engine/fake.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import { EngineError } from '../model/errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { RunningDependency } from './dependency.ts';
import { withDependencies } from './with-dependencies.ts';

const facts = fakeImageFacts('db:1');
const ownership = { run: 'r', owner: 'o' };
const log = 'engines/fake/dependencies/app/db.log';

let done: string[];
let answer: { exitCode: number; output: string } | undefined;
let lost: boolean;
let whileAsked: () => Promise<void>;
let engine: FakeEngine;
let recorder: Recorder;
let now = 0;

beforeEach(() => {
  done = [];
  answer = { exitCode: 0, output: '' };
  lost = false;
  whileAsked = async () => undefined;
  const program = () => ({
    onCommand: (command: readonly string[]) => {
      done.push(command.join(' '));
      void whileAsked();
      return answer;
    },
  });
  engine = fakeEngine({
    images: { 'db:1': { facts, program } },
    fail: () => (lost ? new EngineError('the engine is gone', { lost: true }) : undefined),
  });
  recorder = createRecorder({ append: () => undefined, close: () => undefined }, () => now++, ['hush-hush']);
});

async function running(more: Partial<RunningDependency> = {}): Promise<RunningDependency> {
  const { id } = await engine.hold({ name: 'db', image: facts.digest, env: {}, ownership });
  return { alias: 'db', reference: 'db:1', container: id, log, ...more };
}

const end = async (): Promise<void> => {
  await engine.containers()[0]?.kill('KILL');
};
const cell = async (): Promise<void> => {
  done.push('cell');
};
const faults = (): readonly Observation[] => recorder.observations.filter(({ kind }) => kind === 'fault');

describe('withDependencies', () => {
  it('resets what is to be reset before the cell, and records nothing about it', async () => {
    const both = [await running({ reset: ['psql', 'TRUNCATE'] }), await running({ alias: 'cache' })];
    await withDependencies({ running: both }, engine, recorder, cell);
    expect(done).toEqual(['psql TRUNCATE', 'cell']);
    expect(faults()).toEqual([]);
  });

  it('runs no cell where a dependency never became ready, with the reason', async () => {
    await withDependencies({ running: [], failure: 'dependency db ended' }, engine, recorder, cell);
    expect(done).toEqual([]);
    expect(faults()).toMatchObject([{ where: 'dependency', message: 'dependency db ended' }]);
  });

  it.each([
    ['fails', { exitCode: 3, output: 'a\nno such table\n' }, /db:1.*psql.*exit code 3: a \| no such table/],
    ['says a secret', { exitCode: 3, output: 'for hush-hush' }, /for \*\*\*$/],
    ['cannot be run', undefined, /db:1.*psql.*could not be run: .*no such file/],
  ])('runs no cell after a reset that %s', async (_title, says, message) => {
    answer = says;
    const db = await running({ reset: ['psql', 'TRUNCATE'] });
    await withDependencies({ running: [db] }, engine, recorder, cell);
    expect(done).toEqual(['psql TRUNCATE']);
    expect(faults()).toMatchObject([{ where: 'dependency', message: expect.stringMatching(message) }]);
  });

  it('runs no cell where a dependency ends while it is reset, and says that it ended', async () => {
    whileAsked = end;
    answer = undefined;
    const db = await running({ reset: ['psql', 'TRUNCATE'] });
    await withDependencies({ running: [db] }, engine, recorder, cell);
    expect(done).toEqual(['psql TRUNCATE']);
    const message = `dependency db (db:1) ended with exit code 137 during the run; its output: ${log}`;
    expect(faults()).toMatchObject([{ where: 'dependency', message }]);
  });

  it.each([
    ['ended', end, `dependency db (db:1) ended with exit code 137 during the run; its output: ${log}`],
    [
      'was removed',
      async () => await engine.containers()[0]?.remove(),
      `dependency db (db:1) was removed during the run; its output: ${log}`,
    ],
  ])('runs no cell once a dependency %s', async (_title, happens, message) => {
    const db = await running({ reset: ['psql'] });
    await happens();
    await withDependencies({ running: [db] }, engine, recorder, cell);
    expect(done).toEqual([]);
    expect(faults()).toMatchObject([{ where: 'dependency', message }]);
  });

  it('puts a dependency that ends during the cell before everything that the cell saw', async () => {
    const db = await running();
    await withDependencies({ running: [db] }, engine, recorder, async () => {
      recorder.record({ kind: 'wait', describe: 'for something' });
      await end();
    });
    const [fault] = faults();
    const wait = recorder.observations.find(({ kind }) => kind === 'wait');
    expect(fault).toMatchObject({ where: 'dependency' });
    expect(fault?.t).toBeLessThan(wait?.t ?? 0);
  });

  it('says so when a cell breaks and its dependency has ended, too', async () => {
    const db = await running();
    const broken = withDependencies({ running: [db] }, engine, recorder, async () => {
      await end();
      throw new Error('broken');
    });
    await expect(broken).rejects.toThrow('broken');
    expect(faults()).toHaveLength(1);
  });

  it('takes a lost engine for what it is', async () => {
    const db = await running();
    lost = true;
    await expect(withDependencies({ running: [db] }, engine, recorder, cell)).rejects.toMatchObject({ lost: true });
    expect(faults()).toEqual([]);
  });
});
