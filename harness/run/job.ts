import type { JudgementBasis } from '../model/clause.ts';
import type { EngineFacts, ImageFacts } from '../model/engine.ts';
import type { Header } from '../model/history.ts';
import type { CellRef } from '../model/plan.ts';
import type { Target } from '../model/target.ts';
import type { Vantage } from './vantage.ts';
import type { Dependencies } from './with-dependencies.ts';

/** One image on one engine, with everything a worker process needs. Carries env values: handed over by IPC, never on disk. */
export interface JobProject {
  /** Projects of one name share worker processes. */
  readonly name: string;
  readonly engine: EngineFacts;
  readonly network: string;
  /** The network's address on the engine's host, where it has one. */
  readonly gateway?: string;
  readonly target: Target;
  /** Of the target; absent where it has none. */
  readonly dependencies?: Dependencies;
  readonly facts: ImageFacts;
  readonly basis: JudgementBasis;
  /** The helper as a target, for cells of the instrument: they ride with an image to save worker processes. */
  readonly helperTarget?: Target;
  readonly cells: readonly CellRef[];
}

/** What all projects of one start of the runner share. */
export interface JobCommon {
  readonly run: string;
  /** Absolute path of the run directory. */
  readonly directory: string;
  readonly harness: Header['harness'];
  /** Identity of the owning command line, for labels. */
  readonly owner: string;
  /** Leave containers for a look (`--keep`). */
  readonly keep: boolean;
  /** `--vantage`. */
  readonly vantage?: Vantage;
  readonly helper?: string;
}

/** One start of the runner: cells by project, how many side by side, and where each scenario is declared. */
export interface RunnerJob {
  readonly common: JobCommon;
  readonly jobs: number;
  readonly scenarioFiles: Readonly<Record<string, string>>;
  /** Scenario ids that take long, longest first: they are started first, so that none is left alone at the end. */
  readonly longFirst: readonly string[];
  readonly projects: readonly JobProject[];
}

/** What the runner tells the command line. It decides nothing: the truth is in the run directories (rule 7). */
export type RunnerMessage =
  | { readonly type: 'begin'; readonly path: string }
  | { readonly type: 'end'; readonly path: string }
  | { readonly type: 'problem'; readonly message: string }
  | { readonly type: 'done'; readonly job: number };
