import type { Clause } from '../model/clause.ts';
import { triggerOf } from './evidence/queries.ts';
import { untriggered } from './finding.ts';
import { checkStop } from './stop-check.ts';

/** IMG-5-init: recorded, so that a service that stops only behind an init is told from one that never does. */
export const img5Init: Clause = {
  id: 'IMG-5-init',
  title: "the same stop behind the engine's own init",
  requirement: "with the engine's own init in front the signal does what it does without one",
  levels: { 'light-fabric': 'r', 'openab-cp': 'r', baseline: 'r' },
  needs: ['init'],
  check: (history, terms) => {
    if (!triggerOf(history)) return untriggered(history, [`ends by itself in less than ${terms.stopBoundMs} ms`]);
    return checkStop(history, terms, terms.stopBoundMs);
  },
  explain: {
    measured:
      "The container runs with the engine's init as PID 1; the signal goes to it; duration and exit status as for the bare signal.",
    breaks:
      'As PID 1 a process without a handler ignores the signal; behind an init the same one dies of it (143, 130): a pass here and a failure of SIG-1 name the cause.',
    remedy: 'Install a handler for the signal, or make an init part of the image.',
  },
};
