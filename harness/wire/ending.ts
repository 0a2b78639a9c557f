import type { EndedBy, Fate, Headers } from '../model/observation.ts';
import type { Nanoseconds } from '../model/time.ts';

/** What became of a connection, session or stream, the way `work.ended` says it. */
export interface Ending {
  readonly t: Nanoseconds;
  readonly fate: Fate;
  readonly status?: number;
  readonly headers?: Headers;
  readonly bytes?: number;
  readonly firstByteAt?: Nanoseconds;
  readonly lastByteAt?: Nanoseconds;
  readonly by?: EndedBy;
  readonly message?: string;
}

/** The same in a few words, for the list of what was tried. */
export function endingInWords({ fate, status, message }: Ending): string {
  return [fate, status, message === undefined ? undefined : `(${message})`]
    .filter((part) => part !== undefined)
    .join(' ');
}
