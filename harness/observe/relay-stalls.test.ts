import { expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { createRecorder } from './recorder.ts';
import { observeRelayStalls } from './relay-stalls.ts';

/** A recorder with a clock that is set by hand, ms, and a way to wait for what it records. */
function bench() {
  const seen: Observation[] = [];
  let nowMs = 0;
  let told = (): void => undefined;
  const append = (observation: Observation): void => {
    seen.push(observation);
    told();
  };
  const recorder = createRecorder({ append, close: () => undefined }, () => nowMs * 1e6, []);
  return {
    seen,
    recorder,
    at: (ms: number) => (nowMs = ms),
    recorded: () => new Promise<void>((resolve) => (told = resolve)),
  };
}

it('a beat that is answered late is a stall, one in time is none', async () => {
  const { seen, recorder, at, recorded } = bench();
  const answers = [0, 15, 40, 1000];
  const lateness = answers.values();
  let beats = 0;
  const stop = observeRelayStalls(
    {
      async beat() {
        beats += 1;
        at(recorder.now() / 1e6 + (lateness.next().value ?? 0));
      },
    },
    recorder,
    { periodMs: 0 },
  );
  await recorded();
  await recorded();
  stop();
  expect(beats).toBeGreaterThanOrEqual(4);
  expect(seen).toMatchObject([
    { kind: 'stall', begin: 15e6, t: 55e6, lateMs: 40 },
    { kind: 'stall', begin: 55e6, t: 1055e6, lateMs: 1000 },
  ]);
});

it('a beat that is not answered at all is a fault, from when it was sent: what was seen since proves nothing', async () => {
  const { seen, recorder, at, recorded } = bench();
  at(70);
  const stop = observeRelayStalls({ beat: () => new Promise(() => undefined) }, recorder, { stalledMs: 1 });
  at(80);
  await recorded();
  stop();
  const message = expect.stringMatching(/more than 1 ms/);
  expect(seen).toMatchObject([{ kind: 'fault', where: 'engine', t: 70e6, message }]);
});

it('says nothing once it was ended, nor where the relay is lost', async () => {
  const { seen, recorder } = bench();
  const answer = Promise.withResolvers<void>();
  const stop = observeRelayStalls({ beat: () => answer.promise }, recorder);
  stop();
  answer.reject(new Error('lost'));
  await answer.promise.catch(() => undefined);
  expect(seen).toEqual([]);
});
