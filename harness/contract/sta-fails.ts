import type { Clause, Finding } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { startInterval } from './evidence/start-up.ts';
import { endingOf, firstOf, lastOf, toMs } from './evidence/queries.ts';
import { processEnd } from './evidence/process-end.ts';
import { fewOf, servedEarly } from './evidence/start-abort.ts';
import { ms } from './evidence/stop-duration.ts';
import type { Base } from './expired-stop.ts';
import { failByTime, found } from './finding.ts';

/**
 * STA-11: a start that fails. With the declared fault it must; where a played peer fails, it may also go on without it, from
 * what it has or by trying again, and then there is nothing to judge.
 */
export const sta11: Clause = {
  id: 'STA-11',
  title: 'a start-up that fails exits nonzero',
  requirement: 'a start-up that fails exits nonzero and unwinds',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'M' },
  needs: [],
  check: (history) => {
    const accepted = ['ends by itself with a status other than 0, without ever being ready or serving anything'];
    const started = startInterval(history);
    const cause = causeOf(history);
    const state = lastOf(history, 'exit.state');
    const base = { accepted, evidence: [started?.seq, cause.seq, state?.seq].filter((seq) => seq !== undefined) };
    if (!started) return found.inconclusive('the trigger never happened: the container was not started', base);
    const ready = firstOf(history, 'ready');
    if (ready) return cameUp(history, cause, { ...base, evidence: [...base.evidence, ready.seq] });
    const served = servedEarly(history);
    if (served.length > 0) {
      const evidence = [...base.evidence, ...fewOf(served)];
      return found.fail(`it served ${served.length} requests although its start failed (${cause.words})`, {
        ...base,
        evidence,
      });
    }
    const ending = endingOf(history);
    if (ending.how === 'outer-timeout') return goesOn(history, cause, base);
    if (ending.how !== 'itself') return found.inconclusive(ending.why, base);
    const end = processEnd(history);
    const after = end ? ` ${ms(Math.max(0, toMs(end.interval.end - started.interval.end)))} after its start` : '';
    const seen = `${cause.words}: exit ${ending.exitCode}${after}`;
    return ending.exitCode === 0
      ? found.fail(`${seen}, although it never was ready`, base)
      : found.pass(`${seen}, never ready and nothing served`, base);
  },
  explain: {
    measured:
      'The service is started with the configuration that its profile declares as one it cannot start from, or with a config server or controller that refuses it, and left alone.',
    breaks:
      'A catch-all that logs the error and returns from main with 0; a failed start that leaves timers or threads behind which keep the process alive; a default in place of a value that cannot be read.',
    remedy: 'Let the error of a start-up step reach main, unwind what was begun, and exit with a status other than 0.',
  },
};

interface Cause {
  readonly words: string;
  /** A service may do without it. */
  readonly optional: boolean;
  readonly seq?: number;
}

/** What the start should fail by: a peer that is played so, else the declared fault. */
function causeOf(history: History): Cause {
  const server = firstOf(history, 'bootstrap.listening');
  if (server?.behaviour === 'fails') {
    return { words: 'the config server fails, nothing is cached', optional: true, seq: server.seq };
  }
  const controller = firstOf(history, 'controller.listening');
  if (controller?.behaviour === 'refuses-registration') {
    return { words: 'its registration is refused', optional: true, seq: controller.seq };
  }
  return { words: 'with the bad configuration', optional: false };
}

function cameUp(history: History, { words, optional }: Cause, base: Base): Finding {
  if (history.header.ready.kind === 'settled') {
    const declare = 'ready: { log: "…" }';
    return found.notExercised(`${words}: it lived on, and readiness is only assumed`, { ...base, declare });
  }
  if (optional) return found.notExercised(`${words}: it starts without`, base);
  return found.fail(`${words} it became ready all the same`, base);
}

/** It neither came up nor ended in the time that it was given. */
function goesOn(history: History, { words, optional }: Cause, base: Base): Finding {
  const started = startInterval(history);
  const kill = firstOf(history, 'signal.sent');
  const livedMs = started && kill ? toMs(kill.t - started.interval.end) : 0;
  const seen = `${words}: neither ready nor at an end ${ms(livedMs)} after its start`;
  if (optional) return found.notExercised(`${seen}: it goes on trying`, base);
  if (history.header.cell.lane === 'alone') return failByTime(history, seen, base);
  return found.inconclusive(`${seen}, measured beside others`, { ...base, timing: true });
}
