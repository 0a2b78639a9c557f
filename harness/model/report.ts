import type { EngineCandidate, EngineFacts, ImageFacts } from './engine.ts';
import type { JudgementBasis, PresetName } from './clause.ts';
import type { ReadySpec } from './target.ts';
import type { Outcome, Verdict } from './verdict.ts';

/** Version of report.json. */
export const REPORT_FORMAT = 1;

/** What the stops of one image look like beside each other, where each alone would only be too long. */
export interface DelayShape {
  readonly shape: 'bounded by the grace' | 'constant' | 'slow' | 'unbounded';
  readonly sentence: string;
}

/** One image on one engine, as reports show it. */
export interface ReportedTarget {
  readonly engine: string;
  readonly image: string;
  readonly facts: ImageFacts;
  readonly ready: ReadySpec;
  readonly basis: JudgementBasis;
  readonly verdicts: readonly Verdict[];
  /** What the stops with and without load, and with several graces, say beside each other. Absent where they are too few. */
  readonly delay?: DelayShape;
  /** Last log lines of the deciding histories, colours stripped, keyed by history path. */
  readonly logs: Readonly<Record<string, string>>;
}

/** Something that broke which is not the image: an engine, the harness, an interruption. */
export interface Fault {
  readonly where: 'engine' | 'harness' | 'interrupted';
  readonly engine?: string;
  readonly message: string;
  readonly history?: string;
}

export interface EngineHealth {
  readonly engine: string;
  /** Exit 7 read as 7 and a SIGKILL as 137: only then is anything judged on it (architecture rule 8). */
  readonly selfTest: { readonly ok: boolean; readonly seen: string };
  /** The known-good control container: what its stop measured against what it did, ms. */
  readonly control?: { readonly expectedMs: number; readonly measuredMs: number; readonly errorMs: number };
}

export interface Summary {
  readonly outcome: 'qualified' | 'not qualified' | 'inconclusive' | 'nothing judged' | 'fault';
  readonly exitCode: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly mustExercised: number;
  readonly mustTotal: number;
  /** Inconclusive verdicts over all that were exercised, 0 to 1. */
  readonly inconclusiveRate: number;
  /** Why the exit code is what it is, one sentence each. */
  readonly reasons: readonly string[];
}

/** What a run cost, for those who pay for it. */
export interface Effort {
  /** From planning to the last observation, ms. */
  readonly durationMs: number;
  readonly engines: readonly {
    readonly engine: string;
    /** Containers made, the one that holds the network among them. */
    readonly containers: number;
    /** How many of them only repeated a timing sample, alone (architecture rule 4). */
    readonly repeated: number;
  }[];
}

/** A finished report: renderers turn it into text and decide nothing. */
export interface Report {
  readonly format: number;
  readonly run: string;
  readonly startedAt: string;
  readonly harness: { readonly version: string; readonly node: string; readonly helperSha256?: string };
  readonly clauseSet: string;
  readonly strict: boolean;
  readonly engines: readonly EngineFacts[];
  readonly notJudged: readonly EngineCandidate[];
  readonly health: readonly EngineHealth[];
  readonly targets: readonly ReportedTarget[];
  readonly faults: readonly Fault[];
  readonly summary: Summary;
  readonly effort: Effort;
  /** Where the run directory is, as given or relative to the working directory. */
  readonly directory: string;
  readonly presets: readonly PresetName[];
}
