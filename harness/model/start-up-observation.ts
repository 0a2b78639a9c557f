import type { Nanoseconds } from './time.ts';

/** A peer that the service cannot start without, played by the harness. */
export type StartUpPeer = 'bootstrap' | 'registration';

/** What the config server that the harness plays heard and said (light-fabric.md, remote bootstrap). */
export type BootstrapObservation =
  | { readonly kind: 'bootstrap.listening'; readonly url: string; readonly behaviour: string }
  | { readonly kind: 'bootstrap.received'; readonly request: number; readonly path: string }
  /** `bytes` of the body were handed to the kernel; `whole` where that is all of it. */
  | {
      readonly kind: 'bootstrap.answered';
      readonly request: number;
      readonly path: string;
      readonly status: number;
      readonly bytes: number;
      readonly whole: boolean;
    }
  /** The connection of a request ended before its answer was whole. */
  | {
      readonly kind: 'bootstrap.abandoned';
      readonly request: number;
      readonly path: string;
      readonly by: 'FIN' | 'RST';
    };

export type StartUpObservation =
  | BootstrapObservation
  /** The service asked a played peer, which does not answer: start-up is pending there. begin is when it was waited for. */
  | { readonly kind: 'start.pending'; readonly peer: StartUpPeer }
  /** What was held was answered: the answer is with the kernel at t. */
  | { readonly kind: 'start.released'; readonly peer: StartUpPeer }
  /**
   * One application request on a new connection while the service starts (STA-7): begin is the connect, t when its outcome
   * was known.
   */
  | {
      readonly kind: 'early.sample';
      readonly request: string;
      readonly outcome: 'answered' | 'refused' | 'reset' | 'hung';
      readonly status?: number;
      readonly answeredAt?: Nanoseconds;
    }
  /** The declared cache after the end of the container; `same`: as the played config server served it, else not. */
  | {
      readonly kind: 'cache.after-exit';
      readonly path: string;
      readonly files: readonly { readonly name: string; readonly bytes: number; readonly same?: boolean }[];
      readonly error?: string;
    };
