import type { EngineCandidate, EngineFacts, ImageFacts } from './engine.ts';
import type { JudgementBasis, PresetName } from './clause.ts';
import type { Assumption, Discovery, ServerFact } from './discovery.ts';
import type { CellRef } from './plan.ts';
import type { ReadySpec, TlsAccess } from './target.ts';
import type { Measurement } from './time.ts';
import type { Outcome, Verdict } from './verdict.ts';

/** Version of report.json. */
export const REPORT_FORMAT = 1;

/** What the stops of one image look like beside each other, where each alone would only be too long. */
export interface DelayShape {
  readonly shape: 'bounded by the grace' | 'constant' | 'slow' | 'unbounded';
  readonly sentence: string;
}

/** The history that something shown beside the verdicts comes from. */
export type ShownCell = Pick<CellRef, 'scenario' | 'cell' | 'repeat' | 'lane'> & {
  /** Its directory, relative to the run directory. */
  readonly history: string;
};

/** It happened somewhere between the two: ms from the engine's answer to the signal, negative before it. */
export interface SpanMs {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Architecture rule 10: how often each of the four outcomes came. `races` are among the resets. */
export interface ProbeOutcomes {
  readonly answered: number;
  readonly refused: number;
  readonly reset: number;
  readonly hung: number;
  readonly races: number;
}

/** What became of new work between signal and exit in one history. What was not seen is missing. */
export interface WindowSummary extends ShownCell {
  /** Connections that the admission probe opened beforehand. */
  readonly kept: number;
  readonly everyMs: number;
  /** How far apart two samples were at most; missing where the probe's end is not on record. */
  readonly longestGapMs?: number;
  /** The status that was normal before the signal. */
  readonly normal: number;
  /** Of the samples begun after the signal's call. */
  readonly outcomes: { readonly new: ProbeOutcomes; readonly kept: ProbeOutcomes };
  /** Kept connections that the service closed while they were idle. */
  readonly withdrawn: number;
  readonly times: {
    /** From the signal's call to the engine's answer. */
    readonly signal: SpanMs;
    readonly lastServed?: SpanMs;
    readonly gateClosed?: SpanMs;
    readonly first503?: SpanMs;
    readonly last503?: SpanMs;
    readonly goodbyeReceived?: SpanMs;
    readonly acknowledged?: SpanMs;
    readonly firstRefused?: SpanMs;
    readonly listenerClosed?: SpanMs;
    readonly ended?: SpanMs;
  };
  /** The width of the wider of the two boundaries seen: where the gate and where the listener closed. */
  readonly boundariesWithinMs?: number;
  /** Why a 503 proves nothing here. */
  readonly doubt?: string;
}

/** One of the stops with nothing in flight that should be alike. */
export interface ComparedStop extends ShownCell {
  /** The bare signal, the engine's own stop with its default or a given timeout, the signal behind the engine's init. */
  readonly how: 'signal' | 'stop default' | 'stop given' | 'init';
  /** Without SIG. */
  readonly signal: string;
  /** Of a given timeout. */
  readonly timeoutS?: number;
  readonly measured?: Measurement;
  /** The engine's own stop is measured from its call where the engine writes no event of the signal. */
  readonly from: 'signal' | 'call';
  /** How its two readings contradict each other. */
  readonly problem?: string;
  readonly end: 'exit' | 'outer timeout' | 'killed' | 'unknown';
  readonly exitCode?: number;
  /** How long it lived on until the harness sent SIGKILL. */
  readonly survivedMs?: number;
  /** Of an end that is killed or unknown. */
  readonly why?: string;
}

/** One signal into a start-up, and what became of it. */
export interface StartUpSample extends ShownCell {
  /** Without SIG. */
  readonly signal: string;
  /** From the start of PID 1 to the signal: no less than the first, no more than the second. */
  readonly offset: SpanMs;
  /** What PID 1 was then: `sh (shell)`, or the engine's runtime. Absent where its processes could not be seen. */
  readonly pid1?: string;
  /** What it became after it. */
  readonly later?: string;
  /** It was ready before the signal. */
  readonly readyBefore: boolean;
  /** From the engine's answer to the start until it was ready; absent where it never was. */
  readonly readyAfterMs?: number;
  readonly fate: 'heard' | 'lost' | 'not known';
  /** Of one that was heard. */
  readonly exitCode?: number;
  readonly measured?: Measurement;
  /** How it is known that it was lost, or why it is not known. */
  readonly why?: string;
}

/** What became of signals at several offsets from the start of PID 1 (STA-9). */
export interface StartUpSummary {
  readonly samples: readonly StartUpSample[];
  /** How long PID 1 was deaf: so long at least, and absent where none was heard, no longer than. */
  readonly deaf: { readonly atLeastMs: number; readonly atMostMs?: number };
}

/** What came of one value of a sweep, its repeats together. */
export interface SweepStep {
  /** As planned, ms. */
  readonly valueMs: number;
  /** As achieved: between the two, ms. */
  readonly at: SpanMs;
  /** `lost`, `heard`, `passes`, `fails`; of repeats that differ all of them. */
  readonly shows: string;
  /** It was added where the outcome changes. */
  readonly added?: true;
  /** The directories of its histories, relative to the run directory. */
  readonly histories: readonly string[];
}

/** A sweep in which the outcome changes, as one clause sees it: the bracket is where neighbouring steps differ. */
export interface SweepSummary {
  readonly clause: string;
  readonly scenario: string;
  readonly column: string;
  /** The other columns, `signal=TERM`; `-` where there are none. */
  readonly others: string;
  /** Refined until neighbours are so close, ms. */
  readonly toMs: number;
  /** Of those whose outcome is known, by value. */
  readonly steps: readonly SweepStep[];
}

/** Another container that the service was run with. */
export interface ReportedDependency {
  /** Its host name for the service. */
  readonly alias: string;
  readonly reference: string;
  readonly digest: string;
  /** From its start until it was ready, ms. Absent where it never was. */
  readonly readyAfterMs?: number;
  /** Why nothing was judged with it. */
  readonly failure?: string;
  /** Its output, relative to the run directory; absent where it never started. */
  readonly log?: string;
}

/** One image on one engine, as reports show it. */
export interface ReportedTarget {
  readonly engine: string;
  readonly image: string;
  readonly facts: ImageFacts;
  /** `linux/arm64 emulated on amd64`: nothing about time is judged then. Absent where the image runs as it is. */
  readonly emulation?: string;
  readonly ready: ReadySpec;
  readonly basis: JudgementBasis;
  /** The known server that it is. */
  readonly server?: ServerFact;
  /** What a look at the running image told, which nobody had declared anything of. Absent where none was made. */
  readonly discovery?: Discovery;
  /** What was assumed because of that look, where nothing stronger says otherwise. */
  readonly assumed?: readonly Assumption[];
  /** The dependencies it was run with. Absent where it has none. */
  readonly dependencies?: readonly ReportedDependency[];
  readonly verdicts: readonly Verdict[];
  /** What the stops with and without load, and with several graces, say beside each other. Absent where they are too few. */
  readonly delay?: DelayShape;
  /** The TLS port, where one is declared, and whether its certificate was verified. */
  readonly tls?: Pick<TlsAccess, 'port'> & { readonly verified: boolean };
  /** From where the containers were looked at: `direct`, or `sidecar: why`. Absent where none was started. */
  readonly seenFrom?: readonly string[];
  /** What the admission probe saw, a history each. Absent where it was in none. */
  readonly windows?: readonly WindowSummary[];
  /** The engine's own stop and the stop behind its init, beside the bare signal. Absent where nothing can be compared. */
  readonly stops?: readonly ComparedStop[];
  /** What became of signals into its start-up. Absent where none was sent. */
  readonly startUp?: StartUpSummary;
  /** The sweeps in which the outcome changes. Absent where it does in none. */
  readonly sweeps?: readonly SweepSummary[];
  /** Last log lines of the deciding histories, colours stripped, keyed by history path. */
  readonly logs: Readonly<Record<string, string>>;
}

/** Something that broke which is not the image: an engine, the harness, an interruption. */
export interface Fault {
  readonly where: 'engine' | 'dependency' | 'harness' | 'interrupted';
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
