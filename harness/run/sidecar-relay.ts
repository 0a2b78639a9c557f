import type { Sidecar } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import type { Relay } from '../wire/relay.ts';
import { openRelay } from '../wire/relay.ts';
import { within } from '../wire/within.ts';

/** The helper says hello at once: a sidecar that is silent for this long does not run it, or cannot be heard. */
const HELLO_LIMIT_MS = 10_000;

/**
 * The relay of a sidecar that runs the helper's `relay`. `onLost` as `openRelay` has it. Throws EngineError where it says
 * no hello within the limit, and what `openRelay` throws.
 */
export async function sidecarRelay(
  sidecar: Pick<Sidecar, 'input' | 'output'>,
  onLost?: (reason: string) => void,
  limitMs: number = HELLO_LIMIT_MS,
): Promise<Relay> {
  return await inTime(openRelay(sidecar, onLost), limitMs, 'the helper in the sidecar did not say hello');
}

/** What a sidecar answers, if it does so within the limit; else an EngineError. */
export async function inTime<T extends object | number>(
  answer: Promise<T>,
  limitMs: number,
  otherwise: string,
): Promise<T> {
  answer.catch(() => undefined); // it may fail when nobody waits any more
  const answered = await within(answer, limitMs);
  if (answered === undefined) throw new EngineError(`${otherwise} within ${limitMs / 1000} s`);
  return answered;
}
