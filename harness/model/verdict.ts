import type { Finding, Level } from './clause.ts';

/** fail > inconclusive > pass > not exercised; waived stands beside them (architecture rule 5). */
export type Outcome = 'pass' | 'fail' | 'inconclusive' | 'not exercised' | 'waived';

/** One finding with the history it came from, relative to the run directory. */
export interface CellFinding extends Finding {
  readonly cell: string;
  readonly history: string;
  readonly lane: 'shared' | 'alone';
  /** What disturbed the measuring, where it is inconclusive by timing alone: empty where nothing is on record. */
  readonly disturbedBy?: readonly string[];
}

/** The verdict on one clause for one image on one engine. */
export interface Verdict {
  readonly engine: string;
  readonly image: string;
  readonly clause: string;
  readonly title: string;
  readonly requirement: string;
  readonly level: Level;
  readonly required: boolean;
  readonly outcome: Outcome;
  /** The finding that decided. */
  readonly seen: string;
  readonly accepted: readonly string[];
  readonly findings: readonly CellFinding[];
  /** `k of n` failing samples, where there were several. */
  readonly failing: number;
  readonly samples: number;
  readonly waiver?: {
    readonly reason: string;
    readonly expires: string;
    readonly expired: boolean;
    readonly would: Outcome;
  };
  readonly declare?: string;
}
