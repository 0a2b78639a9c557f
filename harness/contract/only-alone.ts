import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Trigger } from './evidence/queries.ts';
import { firstOf, toMs } from './evidence/queries.ts';
import { acceptedBy } from './evidence/start-abort.ts';
import { disturbedMs, startInterval } from './evidence/start-up.ts';

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
 * A failure by a measured length, alone, that is beyond its limit by no more than what the process may have waited for a
 * processor, as it did while it started: then it is measured again.
 */
export function unlessStarved(history: History, trigger: Trigger, finding: Finding): Finding {
  const found = onlyAlone(history, finding);
  const { outcome, measured, limitMs } = found;
  if (outcome !== 'fail' || measured === undefined || limitMs === undefined) return found;
  const waited = waitedShare(history, trigger);
  if (measured.lowMs - limitMs >= waited * measured.highMs) return found;
  const seen = `${found.seen}, when its start had waited for a processor for ${Math.round(waited * 100)} % of its time`;
  return { ...found, outcome: 'inconclusive', seen, timing: true };
}

/** Which part of the time before the signal the start was kept from a processor, 0 to 1. */
function waitedShare(history: History, trigger: Trigger): number {
  const pressure = firstOf(history, 'cpu.pressure');
  const since = pressure?.begin ?? startInterval(history)?.interval.begin ?? 0;
  const until = pressure?.t ?? trigger.interval.begin;
  const windowMs = toMs(until - since);
  return windowMs <= 0 ? 0 : Math.min(1, disturbedMs(history, { trigger }) / windowMs);
}
