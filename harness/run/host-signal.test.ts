import { describe, expect, it } from 'vitest';
import type { RunningContainer } from '../engine/driver.ts';
import type { Draft } from '../model/observation.ts';
import type { Recorder } from '../observe/recorder.ts';
import { sendBy } from './host-signal.ts';

/** A container whose pid is this process: never PID 1 of a container. */
function setUp() {
  const recorded: Draft[] = [];
  const killed: string[] = [];
  const recorder = {
    observations: recorded,
    now: () => 0,
    record: (draft: Draft) => {
      recorded.push(draft);
      return draft;
    },
  } as unknown as Recorder;
  const container = {
    pid: process.pid,
    id: 'f'.repeat(64),
    kill: async (signal: string) => {
      killed.push(signal);
      return 'delivered';
    },
  } as unknown as RunningContainer;
  return { recorded, killed, recorder, container };
}

describe('a signal from this host', () => {
  it('never goes to a process that is not PID 1 of the container: what is missing is said', async () => {
    const { recorded, killed, recorder, container } = setUp();
    await expect(sendBy('host', container, recorder, 'TERM')).resolves.toBe(false);
    expect(recorded).toMatchObject([
      {
        kind: 'capability.missing',
        capability: 'direct',
        reason: expect.stringMatching(/is not PID 1 of the container/),
      },
    ]);
    expect(killed).toEqual([]);
  });

  it('goes through the engine unless it is asked for', async () => {
    const { recorded, killed, recorder, container } = setUp();
    await expect(sendBy(undefined, container, recorder, 'INT')).resolves.toBe(true);
    expect(killed).toEqual(['INT']);
    expect(recorded.map(({ kind }) => kind)).toEqual(['signal.sent', 'signal.delivered']);
  });
});
