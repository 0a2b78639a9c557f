import type { Nanoseconds } from './time.ts';

/** One process of the target, as /proc shows it. Masks are the hexadecimal words of /proc/<pid>/status. */
export interface ProcessFact {
  readonly pid: number;
  /** The pid inside the container's namespace; 1 is PID 1. */
  readonly nsPid: number;
  readonly ppid: number;
  readonly comm: string;
  readonly args: readonly string[];
  /** R, S, D, T, Z, X as in /proc/<pid>/stat. */
  readonly state: string;
  readonly threads: number;
  readonly caught: string;
  readonly ignored: string;
  /** Union over all threads. */
  readonly blocked: string;
}

/** How a piece of work held by the harness ended. `held` means it was still going on when the record stopped. */
export type Fate = 'answered' | 'truncated' | 'closed' | 'reset' | 'refused' | 'hung' | 'held';

interface Base {
  /** Given by the recorder, in order of writing. Judges sort by time, not by this. */
  readonly seq: number;
  /** When it ended or was seen. */
  readonly t: Nanoseconds;
  /** When it began, where it is an interval. */
  readonly begin?: Nanoseconds;
}

/** What an observer saw. Each kind has exactly one writer under observe/, load/, inject/ or run/. */
export type Observation = Base &
  (
    | { readonly kind: 'container.created'; readonly id: string; readonly name: string }
    | { readonly kind: 'container.started'; readonly pid: number; readonly address?: string; readonly vantage: string }
    | { readonly kind: 'container.removed' }
    /** A call to the engine's API, for the overhead of `npm run bench` and for timing of engine faults. */
    | { readonly kind: 'engine.call'; readonly call: string; readonly error?: string }
    | { readonly kind: 'ready'; readonly by: string; readonly attempts: number; readonly answers: number }
    | {
        readonly kind: 'ready.failed';
        readonly reason: 'exited' | 'timeout';
        readonly message: string;
        readonly lastError?: string;
      }
    | {
        readonly kind: 'processes';
        readonly moment: 'ready' | 'before-signal' | 'during-stop';
        readonly list: readonly ProcessFact[];
      }
    /** The kernel's own record of a process of the target: exact (architecture rule 9, engines.md section 12). */
    | { readonly kind: 'process.fork'; readonly pid: number; readonly parent: number }
    | { readonly kind: 'process.exec'; readonly pid: number; readonly comm: string }
    | {
        readonly kind: 'process.exit';
        readonly pid: number;
        readonly comm: string;
        readonly code?: number;
        readonly signal?: number;
      }
    /** The kernel process events were lost or not available from here on. */
    | { readonly kind: 'process.events'; readonly state: 'attached' | 'unavailable' | 'lost'; readonly reason?: string }
    | {
        readonly kind: 'log';
        readonly stream: 'stdout' | 'stderr';
        readonly text: string;
        readonly raw?: string;
        readonly partial?: boolean;
      }
    /** The engine's stored log after the end, compared with what the attached stream delivered. */
    | {
        readonly kind: 'log.complete';
        readonly attachedLines: number;
        readonly storedLines: number;
        readonly missing: readonly string[];
        readonly error?: string;
      }
    | { readonly kind: 'signal.sent'; readonly n: number; readonly signal: string; readonly purpose: SignalPurpose }
    | {
        readonly kind: 'signal.delivered';
        readonly n: number;
        readonly signal: string;
        readonly purpose: SignalPurpose;
      }
    | {
        readonly kind: 'signal.failed';
        readonly n: number;
        readonly signal: string;
        readonly purpose: SignalPurpose;
        readonly message: string;
        readonly ended: boolean;
      }
    /** The engine's own stop: begin is the call, t its return. `timeoutS` absent: the engine's default. */
    | { readonly kind: 'stop.called'; readonly mode: 'default' | 'given'; readonly timeoutS?: number }
    | {
        readonly kind: 'stop.returned';
        readonly mode: 'default' | 'given';
        readonly timeoutS?: number;
        readonly error?: string;
      }
    | {
        readonly kind: 'engine.event';
        readonly action: string;
        /** Engine realtime clock mapped to the history's axis. */
        readonly at: Nanoseconds;
        readonly signal?: string;
        readonly exitCode?: number;
      }
    /** The end of PID 1: begin is last seen alive, t first seen dead. */
    | { readonly kind: 'exit.seen'; readonly by: 'pidfd' | 'proc' | 'engine' }
    | {
        readonly kind: 'exit.state';
        readonly running: boolean;
        readonly status: string;
        readonly exitCode?: number;
        readonly oomKilled: boolean;
        /** `oom_kill` counter of the target's cgroup, last read while it ran. */
        readonly cgroupOomKills?: number;
        readonly startedAt?: Nanoseconds;
        readonly finishedAt?: Nanoseconds;
        readonly error?: string;
      }
    | { readonly kind: 'oom'; readonly source: 'cgroup' | 'event'; readonly kills: number }
    | {
        readonly kind: 'work.held';
        readonly id: string;
        readonly shape: string;
        readonly how: string;
      }
    | {
        readonly kind: 'work.failed';
        readonly id: string;
        readonly shape: string;
        readonly tried: readonly string[];
        readonly message: string;
      }
    | {
        readonly kind: 'work.ended';
        readonly id: string;
        readonly shape: string;
        readonly fate: Fate;
        readonly status?: number;
        readonly bytes?: number;
        readonly message?: string;
      }
    /** One look at a service that should be serving; `ok` false carries the reason. */
    | { readonly kind: 'serving'; readonly ok: boolean; readonly detail: string }
    | { readonly kind: 'wait'; readonly describe: string }
    | { readonly kind: 'wait.expired'; readonly describe: string; readonly last?: string }
    /** The harness's own event loop was late by this much: timing around it is worth less. */
    | { readonly kind: 'stall'; readonly lateMs: number }
    | {
        readonly kind: 'capability.missing';
        readonly capability: string;
        readonly reason: string;
        readonly declare: string;
      }
    | { readonly kind: 'fault'; readonly where: 'engine' | 'harness'; readonly message: string }
    /** The last line. A history without it cannot pass but can fail (architecture rule 5). */
    | { readonly kind: 'end' }
  );

export type SignalPurpose = 'script' | 'outer-timeout' | 'clean-up';
export type ObservationKind = Observation['kind'];
export type ObservationOf<K extends ObservationKind> = Extract<Observation, { kind: K }>;
/** What an observer hands to the recorder: everything but the sequence number. */
export type Draft = Observation extends infer O ? (O extends Observation ? Omit<O, 'seq'> : never) : never;
