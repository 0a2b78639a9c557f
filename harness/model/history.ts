import type { JudgementBasis } from './clause.ts';
import type { EngineFacts, ImageFacts } from './engine.ts';
import type { Observation } from './observation.ts';
import type { CellRef } from './plan.ts';
import type { ReadySpec } from './target.ts';

/** Version of the history format this code writes. Newer ones are refused, older ones upgraded step by step (store/). */
export const HISTORY_FORMAT = 1;

/** First line of a history: everything a judge needs, so that an old run can be judged without its command line. */
export interface Header {
  readonly format: number;
  readonly harness: { readonly version: string; readonly node: string; readonly helperSha256?: string };
  readonly run: string;
  readonly cell: CellRef;
  readonly engine: EngineFacts;
  readonly image: ImageFacts;
  readonly ready: ReadySpec;
  /** Keys of the environment the target got; values are never stored. */
  readonly envKeys: readonly string[];
  /** The instant t = 0, in ns, on both clocks of the harness host, as decimal strings. */
  readonly origin: { readonly monotonic: string; readonly realtime: string };
  /** Half-widths, ms, of the two readings of a stop duration in the lane this was measured in (engines.md section 1). */
  readonly uncertainty: { readonly hostMs: number; readonly engineMs: number };
  readonly basis: JudgementBasis;
}

/** One run of one scenario cell on one engine. */
export interface History {
  readonly header: Header;
  readonly observations: readonly Observation[];
  /** Whether the `end` mark was read. */
  readonly complete: boolean;
}
