import type { Finding, Terms } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { quoted } from './evidence/log-lines.ts';
import { timeProvesNothing } from './evidence/emulation.ts';
import { firstOf, lastOf, ofKind } from './evidence/queries.ts';

type Details = Omit<Finding, 'outcome' | 'seen'>;

/** A finding of each outcome. `accepted` and `evidence` are always said; the rest where there is something to say. */
export const found = {
  pass: (seen: string, details: Details): Finding => ({ outcome: 'pass', seen, ...details }),
  fail: (seen: string, details: Details): Finding => ({ outcome: 'fail', seen, ...details }),
  inconclusive: (seen: string, details: Details): Finding => ({ outcome: 'inconclusive', seen, ...details }),
  notExercised: (seen: string, details: Details): Finding => ({ outcome: 'not exercised', seen, ...details }),
};

/** A failure that rests on how long something took: where the image was emulated it is none, and measuring again is no help. */
export function failByTime(history: History, seen: string, details: Details): Finding {
  const why = timeProvesNothing(history);
  return why === undefined ? found.fail(seen, details) : found.inconclusive(`${seen}: ${why}`, details);
}

/** A clause whose trigger never happened is inconclusive (rule 5): says which step did not come about. */
export function untriggered(history: History, accepted: readonly string[]): Finding {
  const failed = firstOf(history, 'ready.failed');
  const refused = ofKind(history, 'signal.failed').find((o) => o.purpose === 'script');
  const over = firstOf(history, 'exit.seen') ?? lastOf(history, 'exit.state');
  const sent = ofKind(history, 'signal.sent').some((o) => o.purpose === 'script') || firstOf(history, 'stop.called');
  const why = failed
    ? `the service never became ready (${[failed.message, ...aboutTheEnd(history), failed.lastError].filter(Boolean).join('; ')})`
    : refused?.ended
      ? `the process was gone already when SIG${refused.signal} was sent`
      : refused
        ? `SIG${refused.signal} could not be delivered (${refused.message})`
        : over
          ? `the service had ended by itself before ${sent ? 'the signal' : 'anything'} was sent`
          : 'nothing was sent that should end the service';
  const evidence = [failed?.seq, refused?.seq, over?.seq].filter((seq) => seq !== undefined);
  return found.inconclusive(`the trigger never happened: ${why}`, { accepted, evidence });
}

/** How a container that died too early ended, and what it said last. */
function aboutTheEnd(history: History): string[] {
  const code = lastOf(history, 'exit.state')?.exitCode;
  const line = lastOf(history, 'log')?.text;
  return [
    ...(code === undefined ? [] : [`exit ${code}`]),
    ...(line === undefined ? [] : [`last log line: ${quoted(line)}`]),
  ];
}

/** Not exercised for want of a log pattern, with the profile line to declare. */
export function undeclaredPattern(key: keyof Terms['patterns'], example: string, accepted: readonly string[]): Finding {
  return found.notExercised(`no log pattern \`${key}\` is declared`, {
    accepted,
    evidence: [],
    declare: `logs: { ${key}: '${example}' }`,
  });
}

/** The harness sent its SIGKILL before the limit that is judged had passed: what would have been is not known. */
export function killedTooSoon(survivedMs: number, limitMs: number, details: Details): Finding {
  const seen = `the harness killed it ${Math.floor(survivedMs)} ms after the signal, before the limit of ${limitMs} ms; give it a longer outer timeout`;
  return found.inconclusive(seen, details);
}

/** The accepted exit statuses in words, one entry each. */
export function statusesInWords(terms: Terms): readonly string[] {
  return terms.acceptedStatuses.map((entry) => `exit ${entry.status} (${entry.reason})`);
}

/** Whether an exit status counts as a good end of a stop with nothing in flight. 137 never gets here: see endingOf. */
export function isAccepted(exitCode: number, terms: Terms): boolean {
  return terms.acceptedStatuses.some((entry) => entry.status === exitCode);
}
