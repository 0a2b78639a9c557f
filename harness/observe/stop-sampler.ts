import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessReader } from './processes.ts';
import type { Recorder } from './recorder.ts';

/** With the kernel's own process events samples only explain; without them they are the evidence (IMG-6: 20 ms). */
const PERIOD_MS = { explained: 250, evidence: 10 } as const;

/** What the sampler needs from the memory cgroup and the process list, and what it knows at the end. */
export interface StopSampler {
  /** Stops sampling; resolves once the last sample is written. */
  stop(): Promise<void>;
}

/**
 * Samples the target's processes, masks and OOM counter until stopped. A sample that shows what the last one showed is
 * written only once more, as the last before a change or the end, so a long hang does not fill the history.
 */
export function sampleDuringStop(
  reader: ProcessReader,
  recorder: Recorder,
  precision: keyof typeof PERIOD_MS,
): StopSampler {
  const abort = new AbortController();
  const loop = async (): Promise<void> => {
    let written = '';
    let pending: (() => void) | undefined;
    let kills = 0;
    while (!abort.signal.aborted) {
      const list = await reader.list();
      const t = recorder.now();
      const text = JSON.stringify(list);
      if (list.length > 0) {
        if (text === written) pending = () => recorder.record({ kind: 'processes', t, moment: 'during-stop', list });
        else {
          pending?.();
          pending = undefined;
          recorder.record({ kind: 'processes', t, moment: 'during-stop', list });
          written = text;
        }
      }
      const now = await reader.oomKills();
      if (now !== undefined && now > kills) {
        kills = now;
        recorder.record({ kind: 'oom', source: 'cgroup', kills });
      }
      await sleep(PERIOD_MS[precision], undefined, { signal: abort.signal }).catch(() => undefined);
    }
    pending?.();
  };
  const done = loop();
  return {
    async stop() {
      abort.abort();
      await done;
    },
  };
}
