import type { History } from './history.ts';
import type { Measurement } from './time.ts';
import type { CellValues } from './plan.ts';
import type { Outcome } from './verdict.ts';

/** M must, S should, r recorded but not judged, - not in the preset. */
export type Level = 'M' | 'S' | 'r' | '-';

export type PresetName = 'light-fabric' | 'openab-cp' | 'baseline';

type Place = 'preset' | 'discovery' | `bundled profile ${string}` | 'image label' | 'profile' | 'command line';

/** Where a term or level comes from, printed beside it; a profile may also say where it has the value from. */
export type Origin = Place | `${Place}: ${string}`;

/** Regular expression sources matched against log lines without colours. A missing one makes its clause not exercised. */
export interface LogPatterns {
  /** Receipt of a signal; the named group `reason` holds the reason. */
  readonly signalReceived?: string;
  /** The final outcome; the named group `outcome` holds graceful, deadline-exceeded or failed. */
  readonly outcome?: string;
  /** Written to stderr when the grace ran out. */
  readonly deadlineExceeded?: string;
  /** The last line of every graceful stop. */
  readonly lastLine?: string;
  /** A line of a start that has to make good an unclean stop. */
  readonly recovery?: string;
  /** Receipt of a second signal. */
  readonly secondSignal?: string;
  /** Written to stderr when the abort of a start-up took longer than the floor (STA-3). */
  readonly startUpExpired?: string;
}

/**
 * What a second signal must do to a stop that is under way with admitted work in flight (SIG-5).
 * `never-slower`: it ends no later than without it. `must-not-shorten`: and no earlier, the work completes.
 * `must-shorten`: the work is cut and it ends soon. `collapses`: out within the floor, status by whether work was cut (lf).
 * `at-once`: out at once with 128 + the number of the second signal (cp).
 */
export type SecondSignalPolicy = 'never-slower' | 'must-not-shorten' | 'must-shorten' | 'collapses' | 'at-once';

/** An exit status that counts as a good end, with the reason that is shown in the report. */
export interface AcceptedStatus {
  readonly status: number;
  readonly reason: string;
  /** The signals after which it counts, without SIG. Absent: the one that it is the death by (128 + n), else any. */
  readonly after?: readonly string[];
}

/** The numbers and policies in force (contract.md): preset, then image label, then profile, then command line. */
export interface Terms {
  /** The signals that must end the service as the preset says, without `SIG`. */
  readonly gracefulSignals: readonly string[];
  /** The signal SIG-1 is judged by, already resolved: `TERM`, or (baseline) the image's stop signal. */
  readonly primarySignal: string;
  /** Configured graceful period, ms; null where none is declared. */
  readonly graceMs: number | null;
  /** What the preset adds after the grace before the hard deadline, ms: lf floor 250, cp listener 1000, bl 0. */
  readonly floorMs: number;
  /** A stop with nothing in flight must end within this, ms (strictly less). */
  readonly stopBoundMs: number;
  /** The sub-second goal of the `-fast` clauses, ms. */
  readonly stopGoalMs: number;
  /** Exit statuses of a stop with nothing in flight that count as good. 137 can never be one. */
  readonly acceptedStatuses: readonly AcceptedStatus[];
  /** Exit status when the grace expired; null where it is not judged. */
  readonly expiredStatus: number | null;
  /** Whether stderr must say that the deadline expired (lf). */
  readonly expiredSaidOnStderr: boolean;
  /** What the judgement allows for the teardown of a process, ms. */
  readonly toleranceMs: number;
  /** Within this after deregistration is acknowledged or bounded new connections are refused, ms (ADM-4). */
  readonly listenerCloseMs: number;
  /** What a grace of 0 means: floor only (`warn`), or refused at start-up (`refuse`); null where it is not judged (DLN-4). */
  readonly zeroGrace: 'warn' | 'refuse' | null;
  /** Within this after the last piece of work the process ends, ms: DRN-9 and its goal DRN-9-fast. */
  readonly afterWorkMs: number;
  readonly afterWorkGoalMs: number;
  /**
   * Policy: for so long after the signal new work may still be served, ms; then it is turned away and the listener closes.
   * 0: it is turned away from the signal on, by 503 or by refusal.
   */
  readonly serveAfterMs: number;
  /** Policy: what a second SIGTERM, or another second signal that is not SIGINT, does. */
  readonly secondTerm: SecondSignalPolicy;
  /** Policy: what a second SIGINT does. */
  readonly secondInt: SecondSignalPolicy;
  /** Policy: whether a declared liveness route must go on answering below 400 while the service drains. */
  readonly livenessInDrain: 'any' | 'serving';
  /** Codes of a Close frame that are good at a stop (WSS-2). */
  readonly closeCodes: readonly number[];
  /** The reason that a Close frame must carry; null: any that is not empty. */
  readonly closeReason: string | null;
  /** What a deployment adds for scheduling, ms. */
  readonly allowanceMs: number;
  /** The harness's own outer timeout, ms, after which it sends SIGKILL itself. */
  readonly outerTimeoutMs: number;
  /** How long the idle watch of STA-8 must see the service serve, ms. */
  readonly idleWatchMs: number;
  readonly patterns: LogPatterns;
}

export interface Waiver {
  readonly clause: string;
  readonly reason: string;
  /** ISO date; from the day after it the waiver is expired and the clause fails. */
  readonly expires: string;
}

/** Everything that turns findings into verdicts, stored in each history's header. */
export interface JudgementBasis {
  readonly preset: PresetName;
  /** Why this preset: `--preset`, profile, image label, bundled profile or default. */
  readonly presetOrigin: string;
  readonly clauseSet: string;
  readonly levels: Readonly<Record<string, Level>>;
  readonly required: readonly string[];
  readonly terms: Terms;
  readonly origins: Readonly<Partial<Record<keyof Terms, Origin>>>;
  readonly waivers: readonly Waiver[];
  /** ISO date of the run: what waivers are measured against, so that judging again gives the same answer. */
  readonly judgedOn: string;
}

/** What a clause says about one history. */
export interface Finding {
  readonly outcome: Exclude<Outcome, 'waived'>;
  /** One sentence: what was seen. */
  readonly seen: string;
  /** What would have been accepted, one entry each. */
  readonly accepted: readonly string[];
  /** Sequence numbers of the observations this rests on. */
  readonly evidence: readonly number[];
  readonly measured?: Measurement;
  readonly limitMs?: number;
  /**
   * For cells of a sweep: where its column's value was achieved, ms, and in one word what came of it there, such as `lost`.
   * Without the word it is the outcome that is compared.
   */
  readonly swept?: { readonly lowMs: number; readonly highMs: number; readonly shows?: string };
  /** Inconclusive only because a limit lies inside the uncertainty: the one thing that is repeated (rule 4). */
  readonly timing?: boolean;
  /** For not exercised: the line to declare. */
  readonly declare?: string;
}

/** One clause of the contract. `check` is pure: no I/O, no clock. A check that throws is inconclusive. */
export interface Clause {
  readonly id: string;
  readonly title: string;
  /** The sentence of contract.md. */
  readonly requirement: string;
  readonly levels: Readonly<Record<PresetName, Level>>;
  /** Capabilities without which it is not exercised. */
  readonly needs: readonly Capability[];
  /** Whether a cell of a scenario that lists this clause can speak about it. Absent: every cell can. */
  appliesTo?(cell: CellValues, terms: Terms): boolean;
  check(history: History, terms: Terms): Finding;
  /** For `explain`: how it is measured, what usually breaks it, and the remedy. */
  readonly explain: { readonly measured: string; readonly breaks: string; readonly remedy: string };
}

/**
 * What a scenario or clause cannot do without. `tcp`: a port that speaks neither HTTP nor TLS. `direct`: the container can be reached, at its own address or from a sidecar.
 * `held work`: something could be held in flight; `grace env`, `registry`, `tls`,
 * `http2`, `stream`, `control`, `liveness` and the faults must be declared; `init`: the engine has an init to put in front.
 */
export type Capability =
  | 'http'
  | 'tcp'
  | 'direct'
  | 'held work'
  | 'grace env'
  | 'registry'
  | 'bootstrap'
  | 'websocket'
  | 'tls'
  | 'http2'
  | 'stream'
  | 'control'
  | 'liveness'
  | 'init'
  | 'fault';

/** A preset is data: terms and which clauses are required; levels stand with the clauses. */
export interface Preset {
  readonly name: PresetName;
  readonly title: string;
  /** `primarySignal: 'stop-signal'` is resolved against the image before any run. */
  readonly terms: Omit<Terms, 'outerTimeoutMs' | 'primarySignal' | 'stopBoundMs' | 'idleWatchMs'> & {
    readonly primarySignal: 'TERM' | 'stop-signal';
    /** A number, or the hard deadline (grace + floor). */
    readonly stopBoundMs: number | 'hard deadline';
  };
  /** Clause ids, or families like `IMG`, that must be exercised at level M. */
  readonly required: readonly string[];
  /** The same for a service that speaks HTTP. */
  readonly requiredOfHttp: readonly string[];
}
