import type { JudgementBasis } from './clause.ts';
import type { Assumption, Discovery, ServerFact } from './discovery.ts';
import type { EngineCandidate, EngineFacts, EngineName, ImageFacts } from './engine.ts';
import type { Target } from './target.ts';

/** The values of one matrix row, for example `{ signal: 'TERM' }`. */
export type CellValues = Readonly<Record<string, string | number>>;

/** One container run: a scenario's matrix row for one image on one engine. */
export interface CellRef {
  readonly engine: EngineName;
  readonly image: string;
  readonly scenario: string;
  readonly title: string;
  readonly values: CellValues;
  /** Readable name of the row: `signal=TERM`, or `-` where the scenario has no matrix. */
  readonly cell: string;
  /** Of a scenario that sweeps: its column, the width that ends the refinement, and whether this cell was added by one. */
  readonly sweep?: { readonly column: string; readonly toMs: number; readonly added?: true };
  /** Clause ids this cell is judged by. */
  readonly clauses: readonly string[];
  /** 1… with `--repeat`. */
  readonly repeat: number;
  /** 1 is the first try, 2… are repetitions of an inconclusive timing sample, alone. */
  readonly sample: number;
  readonly lane: 'shared' | 'alone';
  /** Directory of the history, relative to the run directory. */
  readonly path: string;
}

/** One image on one engine. */
export interface PlannedTarget {
  readonly engine: EngineName;
  readonly target: Omit<Target, 'env' | 'secrets'> & { readonly envKeys: readonly string[] };
  readonly facts: ImageFacts;
  readonly basis: JudgementBasis;
  /** What a look at the running image told, on this engine or another one of the run. Absent where none was made. */
  readonly discovery?: Discovery;
  /** What it goes by because of that look, where nothing stronger says otherwise. */
  readonly assumed?: readonly Assumption[];
  /** The known server that it is. */
  readonly server?: ServerFact;
  /** Clauses of the preset that no cell can exercise, with why and what to declare. */
  readonly unexercised: readonly { readonly clause: string; readonly reason: string; readonly declare: string }[];
  readonly cells: readonly CellRef[];
}

/** Written before anything runs; the truth of a run is this plan plus the run directories (architecture rule 7). */
export interface Plan {
  readonly format: number;
  readonly run: string;
  readonly startedAt: string;
  readonly harness: { readonly version: string; readonly node: string; readonly helperSha256?: string };
  readonly engines: readonly EngineFacts[];
  /** Engines looked for and not found: named "not judged" in every report. */
  readonly notJudged: readonly EngineCandidate[];
  readonly targets: readonly PlannedTarget[];
  /** Self-test and control cells, one set per engine: they judge the instrument, not the image. */
  readonly instrument: readonly CellRef[];
  readonly strict: boolean;
}
