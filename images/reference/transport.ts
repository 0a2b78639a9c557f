import type { AdmissionGate } from './admission-gate.ts';
import type { ShutdownContext } from './shutdown-context.ts';

/** Something that carries requests: bound during start-up, stopped within the shutdown's one deadline. */
export interface Transport {
  bind(gate: AdmissionGate, startupCancel: AbortSignal): Promise<void>;
  /**
   * Closes the listener, drains admitted work, and cuts what is left when `context.cancellation` fires.
   * Resolves with whether admitted work was cut.
   */
  stop(context: ShutdownContext): Promise<'drained' | 'cut'>;
  /** Closes everything at once: for a start-up that is aborted. */
  abort(): Promise<void>;
}
