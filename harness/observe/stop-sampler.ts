import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '../model/network.ts';
import type { ProcessReader } from './processes.ts';
import type { Recorder } from './recorder.ts';

/** With the kernel's own process events samples only explain; without them they are the evidence (IMG-6: 20 ms at most). */
const PERIOD_MS = { explained: 250, evidence: 10 } as const;

/** What the sampler needs from the memory cgroup and the process list, and what it knows at the end. */
export interface StopSampler {
  /** Stops sampling; resolves once the last sample is written. */
  stop(): Promise<void>;
}

/**
 * Samples the target's processes, masks and OOM counter until stopped. A sample that shows what the last one showed is
 * written only once more, as the last before a change or the end, so a long hang does not fill the history. A reader that
 * fails ends it with a `fault`: what the samples would have shown is not known.
 */
export function sampleDuringStop(
  reader: ProcessReader,
  recorder: Recorder,
  precision: keyof typeof PERIOD_MS,
): StopSampler {
  const abort = new AbortController();
  let kills = 0;
  const countKills = async (): Promise<void> => {
    const now = await reader.oomKills();
    if (now === undefined || now <= kills) return;
    kills = now;
    recorder.record({ kind: 'oom', source: 'cgroup', kills });
  };
  const periodMs = precision === 'evidence' ? (reader.everyMs ?? PERIOD_MS.evidence) : PERIOD_MS.explained;
  const loop = async (): Promise<void> => {
    let written = '';
    let pending: (() => void) | undefined;
    while (!abort.signal.aborted) {
      const begin = recorder.now();
      const list = await reader.list();
      const sample = { kind: 'processes', begin, t: recorder.now(), moment: 'during-stop', list } as const;
      const text = JSON.stringify(list);
      if (list.length > 0) {
        if (text === written) pending = () => recorder.record(sample);
        else {
          pending?.();
          pending = undefined;
          recorder.record(sample);
          written = text;
        }
      }
      await countKills();
      await sleep(periodMs, undefined, { signal: abort.signal }).catch(() => undefined);
    }
    pending?.();
    // the cgroup outlives PID 1 by a moment, and Podman says nothing of the end of another process
    await countKills();
  };
  const done = loop().catch((error: unknown) => {
    const message = `the processes could not be read during the stop: ${reasonOf(error)}`;
    recorder.record({ kind: 'fault', where: 'harness', message });
  });
  return {
    async stop() {
      abort.abort();
      await done;
    },
  };
}
