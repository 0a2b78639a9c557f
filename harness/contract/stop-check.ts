import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import type { Measurement } from '../model/time.ts';
import { stillStarting } from './evidence/entry-script.ts';
import { timeProvesNothing } from './evidence/emulation.ts';
import { compareToLimit, describeMeasurement, ms, stopDuration } from './evidence/stop-duration.ts';
import { endingOf, oomBeforeStop, oomSeen, triggerOf } from './evidence/queries.ts';
import { found, isAccepted, killedTooSoon, statusesInWords, untriggered } from './finding.ts';

/**
 * A stop with nothing in flight, as SIG-1 to SIG-3 and IMG-5 want it: by itself, with an accepted status, without OOM,
 * and within `limitMs`. An OOM kill of a child before the stop is told and is none of its. What is definite (a SIGKILL, a wrong status) decides before the clocks are asked.
 */
export function checkStop(history: History, terms: Terms, limitMs: number): Finding {
  const accepted = [`ends by itself in less than ${limitMs} ms`, ...statusesInWords(terms)];
  const trigger = triggerOf(history);
  if (!trigger) return untriggered(history, accepted);
  const what = trigger.by === 'stop' ? "the engine's stop" : `SIG${trigger.signal}`;
  const ending = endingOf(history);
  const base = { accepted, evidence: [trigger.seq, ...ending.evidence], limitMs };
  const lost = ending.how === 'outer-timeout' || (ending.how === 'killed' && !oomSeen(history));
  const starting = lost ? stillStarting(history) : undefined;
  if (starting) {
    const { seen, evidence, declare } = starting;
    return found.inconclusive(seen, { ...base, evidence: [...base.evidence, ...evidence], declare });
  }
  if (ending.how === 'outer-timeout') {
    if (ending.survivedMs < limitMs) return killedTooSoon(ending.survivedMs, limitMs, base);
    return found.fail(`still running ${ms(ending.survivedMs)} after ${what}; the harness sent SIGKILL`, base);
  }
  if (ending.how === 'killed') return found.fail(ending.why, base);
  if (ending.how === 'unknown') return found.inconclusive(ending.why, base);
  const oom = oomSeen(history);
  const earlier = oomBeforeStop(history);
  if (oom && !earlier)
    return found.fail(`exit ${ending.exitCode}, but ${oom.text}`, { ...base, evidence: [...base.evidence, oom.seq] });
  const duration = stopDuration(history);
  const measured = { ...base, ...(duration.measurement && { measured: duration.measurement }) };
  const took = duration.measurement ? ` after ${describeMeasurement(duration.measurement)}` : '';
  if (!isAccepted(ending.exitCode, terms)) {
    const elsewhere = isAccepted(ending.exitCode, history.header.basis.terms) ? ` after SIG${trigger.signal}` : '';
    return found.fail(`exit ${ending.exitCode}${took}: not an accepted status${elsewhere}`, measured);
  }
  if (!earlier) return timed(history, limitMs, `exit ${ending.exitCode}`, measured);
  const told = { ...measured, evidence: [...measured.evidence, earlier.seq] };
  return timed(history, limitMs, `exit ${ending.exitCode} (${earlier.text})`, told);
}

/** Beyond a limit by less than this factor, and by less than this, ms, the neighbours in the shared lane may be the cause. */
const FINAL_IN_COMPANY = { factor: 1.5, excessMs: 250 } as const;

/**
 * The timing half: compares the stop duration with a limit. Undecided samples are to be measured again, and so is one
 * that is narrowly beyond the limit in the shared lane: only alone is that a failure.
 */
export function timed(
  history: History,
  limitMs: number,
  end: string,
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
): Finding {
  const duration = stopDuration(history);
  const evidence = [...new Set([...base.evidence, ...duration.evidence])];
  if (!duration.measurement) {
    return found.inconclusive(`${end}, but ${duration.problem ?? 'no duration was measured'}`, {
      ...base,
      evidence,
      limitMs,
    });
  }
  const seen = `${end} after ${describeMeasurement(duration.measurement)}`;
  return compared(history, duration.measurement, limitMs, seen, { ...base, evidence }, duration.problem);
}

/** Whether so much, beyond a limit, is a failure in the lane it was measured in: beside others only where it is far beyond. */
export function isFinal(history: History, valueMs: number, limitMs: number): boolean {
  const finalMs = Math.max(FINAL_IN_COMPANY.factor * limitMs, limitMs + FINAL_IN_COMPANY.excessMs);
  return history.header.cell.lane === 'alone' || valueMs >= finalMs;
}

/**
 * A measurement against a limit, by the same rules for every duration; `problem` says why the measurement is wide. How long
 * an emulated image takes is no measure of the image.
 */
export function compared(
  history: History,
  measured: Measurement,
  limitMs: number,
  seen: string,
  base: { readonly accepted: readonly string[]; readonly evidence: readonly number[] },
  problem?: string,
): Finding {
  const details = { ...base, limitMs, measured };
  const emulated = timeProvesNothing(history);
  if (emulated !== undefined) return found.inconclusive(`${seen} (limit ${limitMs} ms): ${emulated}`, details);
  const where = compareToLimit(measured, limitMs);
  if (where === 'within') return found.pass(seen, details);
  if (where === 'beyond') {
    const beyond = `${seen}: not below ${limitMs} ms`;
    if (isFinal(history, measured.valueMs, limitMs)) return found.fail(beyond, details);
    return found.inconclusive(`${beyond}, measured beside others`, { ...details, timing: true });
  }
  const why = problem ?? `the limit of ${limitMs} ms lies inside it`;
  return found.inconclusive(`${seen}: ${why}`, { ...details, timing: true });
}
