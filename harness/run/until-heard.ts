import { setTimeout as sleep } from 'node:timers/promises';
import { roleOf } from '../contract/evidence/process-tree.ts';
import { signalNumber } from '../contract/evidence/queries.ts';
import type { ProcessFact } from '../model/observation.ts';
import type { ProcessReader } from '../observe/processes.ts';

/** Between two looks at the masks, ms. */
const EVERY_MS = 10;
/** A server whose workers answer before its master has its handlers needs milliseconds; one without any is not waited for. */
const LIMIT_MS = 500;

/**
 * Wait, shortly, until PID 1 catches a signal: a worker may answer before its master has installed its handlers, and a
 * signal in between is lost. That is a fault of the start-up (STA-1), to be seen where the signal comes at the first answer,
 * and must not be taken for one of the stop. Decides nothing: after the limit the signal is sent all the same.
 */
export async function untilHeard(
  reader: Pick<ProcessReader, 'list'>,
  signal: string,
  ended: AbortSignal,
  limitMs: number = LIMIT_MS,
): Promise<readonly ProcessFact[]> {
  const number = signalNumber(signal);
  let list = await reader.list();
  for (let waitedMs = 0; number !== undefined && waitedMs < limitMs && !ended.aborted; waitedMs += EVERY_MS) {
    const first = list.find(({ nsPid }) => nsPid === 1);
    // an init takes signals by waiting for them, and catches none
    if (first === undefined || roleOf(first) === 'init' || hears(first, number)) break;
    await sleep(EVERY_MS, undefined, { signal: ended }).catch(() => undefined);
    list = await reader.list();
  }
  return list;
}

function hears({ caught, ignored }: ProcessFact, number: number): boolean {
  const has = (mask: string): boolean => ((BigInt(`0x${mask || '0'}`) >> BigInt(number - 1)) & 1n) === 1n;
  // what it ignores it has made up its mind about
  return has(caught) || has(ignored);
}
