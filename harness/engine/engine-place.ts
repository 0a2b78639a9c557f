import type { EngineCandidate } from '../model/engine.ts';
import type { EngineAccess } from './engine-reach.ts';

/** A place to look at, before it was looked at. `failure`: it is known already that nothing can be there, and why. */
export interface EnginePlace extends EngineCandidate {
  /** What an address alone does not tell, read when it is looked at. Throws EngineError. */
  readonly access?: () => Promise<EngineAccess>;
  /** Named by the user: nothing else is taken for it when it does not answer. */
  readonly chosen?: boolean;
}
