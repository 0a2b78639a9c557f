import type { AcceptedStatus, Terms } from '../../model/clause.ts';
import type { History } from '../../model/history.ts';
import type { Observation } from '../../model/observation.ts';
import { signalName, signalNumber } from './queries.ts';

/** The signals that the harness may send to end a service: the death by one of them is 128 + its number. */
const SIGNALS = ['TERM', 'INT', 'HUP', 'QUIT', 'USR1', 'USR2', 'WINCH'] as const;

/**
 * The terms as they hold for one history. A status that is the death by a signal counts as a good end only where that signal
 * was sent, as the first or a later one, or what the profile names with it: 130 is no good end of a stop by SIGTERM.
 */
export function termsFor(history: History): Terms {
  const { basis, image } = history.header;
  return termsAfter(basis.terms, history.observations, image.stopSignal.value);
}

/** The same of what has been observed so far; the engine's own stop sends `stopSignal`, in any spelling. */
export function termsAfter(terms: Terms, observations: readonly Observation[], stopSignal: string): Terms {
  const sent = new Set(
    observations.flatMap((o) => {
      if (o.kind === 'stop.called') return [signalName(stopSignal)];
      const ours = (o.kind === 'signal.sent' || o.kind === 'signal.delivered') && o.purpose === 'script';
      return ours ? [signalName(o.signal)] : [];
    }),
  );
  const acceptedStatuses = terms.acceptedStatuses.filter((entry) => {
    const after = entry.after ?? deathBy(entry);
    return after === undefined || after.some((name) => sent.has(name));
  });
  return acceptedStatuses.length === terms.acceptedStatuses.length ? terms : { ...terms, acceptedStatuses };
}

function deathBy({ status }: AcceptedStatus): readonly string[] | undefined {
  const name = SIGNALS.find((signal) => 128 + (signalNumber(signal) ?? 0) === status);
  return name === undefined ? undefined : [name];
}
