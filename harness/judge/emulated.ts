import { timeProvesNothing } from '../contract/evidence/emulation.ts';
import { endingOf, oomSeen, triggerOf } from '../contract/evidence/queries.ts';
import type { Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';

/**
 * What is left of a finding where the image was emulated. How long anything takes then is not how long the image takes: a
 * pass or a fail that rests on time is inconclusive, and nothing is measured again, since it would not get better. What is
 * definite (a wrong status, a SIGKILL from elsewhere, a shell as PID 1) stays. So does what is only shown.
 */
export function withEmulation(history: History, finding: Finding): Finding {
  const why = timeProvesNothing(history);
  if (why === undefined || finding.outcome === 'not exercised') return finding;
  const { timing: _, ...untimed } = finding;
  if (finding.outcome === 'inconclusive' || !restsOnTime(history, finding)) return untimed;
  const seen = `${finding.seen}: ${why} (as it is this would be a ${finding.outcome})`;
  return { ...untimed, outcome: 'inconclusive', seen };
}

/**
 * Whether a finding would have been another one had all gone faster. A pass does where a limit was kept; a failure where
 * the process was still there at the outer timeout of the harness or at the engine's own: it may ignore the signal, or only
 * be slow, and the masks that could tell are those of the emulator. Other failures by time say so where they are found.
 */
function restsOnTime(history: History, { outcome, measured, limitMs, evidence }: Finding): boolean {
  if (outcome === 'pass') return measured !== undefined || limitMs !== undefined;
  const byHarness = history.observations.some(
    (o) =>
      (o.kind === 'signal.sent' || o.kind === 'signal.delivered') &&
      o.purpose === 'outer-timeout' &&
      evidence.includes(o.seq),
  );
  return byHarness || byEngineStop(history, evidence);
}

/** The engine's own stop sends SIGKILL when its timeout is over. */
function byEngineStop(history: History, evidence: readonly number[]): boolean {
  const ending = endingOf(history);
  if (triggerOf(history)?.by !== 'stop' || ending.how !== 'killed' || oomSeen(history) !== undefined) return false;
  return ending.evidence.some((seq) => evidence.includes(seq));
}
