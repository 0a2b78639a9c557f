import { describe, expect, it } from 'vitest';
import type { Observation, ProcessFact } from '../model/observation.ts';
import type { ProcessReader } from './processes.ts';
import { createRecorder } from './recorder.ts';
import { sampleDuringStop } from './stop-sampler.ts';

const fact = (pid: number): ProcessFact => ({
  pid,
  nsPid: pid,
  ppid: 0,
  comm: 'app',
  args: [],
  state: 'S',
  threads: 1,
  caught: '0',
  ignored: '0',
  blocked: '0',
});

/** Samples what each look gives, and stops with the last of them. */
async function sample(...looks: readonly (() => Promise<readonly ProcessFact[]>)[]) {
  const seen: Observation[] = [];
  let clock = 0;
  const sink = { append: (entry: Observation) => seen.push(entry), close: () => undefined };
  const recorder = createRecorder(sink, () => ++clock, []);
  const left = [...looks];
  const all = Promise.withResolvers<void>();
  const reader: ProcessReader = {
    async list() {
      const look = left.shift();
      if (left.length === 0) all.resolve();
      return (await look?.()) ?? [];
    },
    oomKills: async () => undefined,
    everyMs: 0,
  };
  const sampler = sampleDuringStop(reader, recorder, 'evidence');
  await all.promise;
  await sampler.stop();
  return seen;
}

describe('the sampler of a stop', () => {
  it('writes a sample that is as the one before once more, as the last before a change or the end', async () => {
    const [one, two] = [async () => [fact(1)], async () => [fact(1), fact(2)]];
    const seen = await sample(two, two, two, one, one);
    expect(seen.map((entry) => entry.kind === 'processes' && entry.list.length)).toEqual([2, 2, 1, 1]);
  });

  it('says when a sample was begun: what it shows may be as old as that', async () => {
    const [entry] = await sample(async () => [fact(1)]);
    expect(entry?.begin).toBeLessThan(entry?.t ?? 0);
  });

  it('records a fault where the processes cannot be read, and rejects nowhere', async () => {
    const seen = await sample(
      async () => [fact(1)],
      async () => Promise.reject(new Error('the sidecar was lost')),
    );
    expect(seen.map(({ kind }) => kind)).toEqual(['processes', 'fault']);
    expect(seen[1]).toMatchObject({
      where: 'harness',
      message: 'the processes could not be read during the stop: the sidecar was lost',
    });
  });

  it('records nothing of a target that has ended', async () => {
    expect(await sample(async () => [])).toEqual([]);
  });
});
