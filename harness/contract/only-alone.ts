import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Trigger } from './evidence/queries.ts';
import { acceptedBy } from './evidence/start-abort.ts';
import { disturbedMs } from './evidence/start-up.ts';
import { ms } from './evidence/stop-duration.ts';

/**
 * A failure that rests on a limit of some hundred milliseconds or less is none beside others: a process that they starve acts
 * on a signal as late, and on whatever else it has not seen yet. It is looked at again, alone.
 */
export function onlyAlone(history: History, finding: Finding): Finding {
  if (finding.outcome !== 'fail' || history.header.cell.lane === 'alone') return finding;
  return { ...finding, outcome: 'inconclusive', seen: `${finding.seen}, measured beside others`, timing: true };
}

/**
 * A failure that rests on something having come so long after the signal. Who said that it had accepted the signal had not
 * been starved; else it must be longer than a stop may take, or have been alone.
 */
export function afterAccepted(
  history: History,
  terms: Terms,
  { trigger, lowMs }: { readonly trigger: Trigger; readonly lowMs: number },
  finding: Finding,
): Finding {
  const final = acceptedBy(history, terms, trigger).said || lowMs >= terms.stopBoundMs;
  return final ? finding : onlyAlone(history, finding);
}

/**
 * A failure by a measured length, alone, that is beyond its limit by no more than what the start was kept from a processor
 * before the signal: others on the machine may have done the same after it. It is measured again.
 */
export function unlessStarved(history: History, trigger: Trigger, finding: Finding): Finding {
  const found = onlyAlone(history, finding);
  const { outcome, measured, limitMs } = found;
  if (outcome !== 'fail' || measured === undefined || limitMs === undefined) return found;
  const busyMs = disturbedMs(history, { trigger });
  if (measured.lowMs - limitMs >= busyMs) return found;
  const seen = `${found.seen}, when its start had waited ${ms(busyMs)} for a processor`;
  return { ...found, outcome: 'inconclusive', seen, timing: true };
}
