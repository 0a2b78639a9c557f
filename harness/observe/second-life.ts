import type { Draft, Observation } from '../model/observation.ts';
import type { Recorder, UntimedDraft } from './recorder.ts';

/** What concerns the run, and not one of the container's lives. */
const OF_THE_RUN: ReadonlySet<string> = new Set(['engine.call', 'fault', 'stall']);

/**
 * A recorder for observers of the container's second life: what they record is wrapped into `second.life`, and of the
 * first life they see nothing. No observer needs to know which life it watches.
 */
export function secondLifeRecorder(recorder: Recorder): Recorder {
  const observations: Observation[] = [];
  return {
    now: recorder.now,
    mask: recorder.mask,
    observations,
    record(draft) {
      if (OF_THE_RUN.has(draft.kind)) return recorder.record(draft);
      const t = draft.t ?? recorder.now();
      const written = recorder.record(wrapped({ ...draft, t } as Draft));
      const seen = written.kind === 'second.life' ? written.seen : draft;
      const observation = { ...seen, seq: written.seq } as Observation;
      observations.push(observation);
      return observation;
    },
    close: () => undefined,
  };
}

function wrapped(seen: Draft): UntimedDraft {
  return { kind: 'second.life', t: seen.t, ...(seen.begin === undefined ? {} : { begin: seen.begin }), seen };
}
