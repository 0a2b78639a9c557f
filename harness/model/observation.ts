import type { ControllerObservation } from './controller-observation.ts';
import type { StartUpObservation } from './start-up-observation.ts';
import type { HeldWebSocket, UpgradeObservation, WebSocketEnd } from './websocket.ts';
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

/** What a connection speaks: HTTP/1.1 in the clear or in TLS, HTTP/2 in TLS, or bare TCP. */
export type Over = 'http' | 'https' | 'h2' | 'tcp';

/** How the other side ended a connection: an orderly end, a reset, or not at all within the limit. */
export type EndedBy = 'FIN' | 'RST' | 'GOAWAY' | 'timeout';

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string>>;

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
        /** Bytes at the end of the line that are not in `text`: it was longer than what is kept of one. */
        readonly leftOut?: number;
      }
    /** Output between begin and t that is not on record: there was more than what is kept. Whole lines, and all bytes. */
    | {
        readonly kind: 'log.left-out';
        readonly stream: 'stdout' | 'stderr';
        readonly lines: number;
        readonly bytes: number;
      }
    /** The engine's stored log after the end, compared with what the attached stream delivered. */
    | {
        readonly kind: 'log.complete';
        readonly attachedLines: number;
        readonly storedLines: number;
        readonly missing: readonly string[];
        /** Lines were left out, so only so many of the last ones on record of each stream were compared. Absent: all were. */
        readonly comparedLast?: { readonly stdout: number; readonly stderr: number };
        /** The attached output had not ended by then: what it had not delivered is on record only as it was stored. */
        readonly attachedOpen?: true;
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
    /**
     * Work or a connection that the service holds because of us, proven before the signal. begin is the connect, t the
     * moment the proof was complete.
     */
    | {
        readonly kind: 'work.held';
        readonly id: string;
        readonly shape: string;
        readonly how: string;
        readonly over?: Over;
        /** Whether it was admitted: a request whose headers were complete. Absent: yes. An idle or half-sent one was not. */
        readonly admitted?: boolean;
        /** Who ends it: the harness by completing its part (`finish`), the service by itself, or nobody. Absent: nobody. */
        readonly ends?: 'finish' | 'itself' | 'never';
        /** What a complete request of the same form was answered before: the normal answer (DRN-1). */
        readonly normal?: { readonly status: number; readonly bytes?: number };
        readonly webSocket?: HeldWebSocket;
      }
    /** The harness completed its part of held work: the rest of a body or of the headers is with the kernel at t. */
    | { readonly kind: 'work.finished'; readonly id: string; readonly shape: string }
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
        /** Lower-case names; only those that clauses speak of: see `keptHeaders` of wire/. */
        readonly headers?: Headers;
        readonly bytes?: number;
        /** When the first and the last byte of an answer came. */
        readonly firstByteAt?: Nanoseconds;
        readonly lastByteAt?: Nanoseconds;
        /** How the other side ended the connection, where it did. */
        readonly by?: EndedBy;
        readonly webSocket?: WebSocketEnd;
        readonly message?: string;
      }
    /** An HTTP/2 GOAWAY frame from the service, on the session of this work. */
    | { readonly kind: 'h2.goaway'; readonly id: string; readonly code: number; readonly lastStream?: number }
    /**
     * The admission probe is under way: `kept` connections are open and were answered once each. `request` is what it asks,
     * `normal` the status that it got before the signal.
     */
    | {
        readonly kind: 'probe.started';
        readonly everyMs: number;
        readonly kept: number;
        readonly request: string;
        readonly normal: number;
        readonly over: Over;
      }
    /**
     * One request of the probe, on a new connection or on one opened beforehand. begin is the connect (new) or the send
     * (kept); t is when its outcome was known. PID 1 lived when the connection was made and after, else it is no sample.
     */
    | {
        readonly kind: 'probe.sample';
        readonly via: 'new' | 'kept';
        /** Number of the connection within the probe. */
        readonly connection: number;
        readonly purpose: 'admission' | 'readiness' | 'liveness' | 'control' | 'near-miss';
        /** `GET /health` */
        readonly request: string;
        /** Architecture rule 10. An end without any answer is `reset`, whether by FIN or RST. */
        readonly outcome: 'answered' | 'refused' | 'reset' | 'hung';
        readonly by?: EndedBy;
        readonly status?: number;
        readonly headers?: Headers;
        /** New connections: when the connect was complete, seen by us. */
        readonly connectedAt?: Nanoseconds;
        /** The whole request was written between these two; the service can have had it complete only after the first. */
        readonly sentBegin?: Nanoseconds;
        readonly sentAt?: Nanoseconds;
        /** First byte of the answer. */
        readonly answeredAt?: Nanoseconds;
        /** A kept connection that ended after our first byte was sent: the race of every keep-alive client. */
        readonly race?: true;
        readonly message?: string;
      }
    /** `withdrawn`: kept connections that the service closed before anything was sent on them: no samples. */
    | {
        readonly kind: 'probe.ended';
        readonly reason: string;
        readonly samples: number;
        readonly withdrawn: number;
        readonly unused: number;
        /** Samples thrown away because PID 1 was not proven alive around them. */
        readonly void: number;
        /** The longest time between two starts of a sample, ms: how far a boundary may be off. */
        readonly longestGapMs: number;
      }
    | { readonly kind: 'probe.failed'; readonly message: string; readonly tried: readonly string[] }
    | ControllerObservation
    | StartUpObservation
    | UpgradeObservation
    /** One look at a service that should be serving; `ok` false carries the reason. */
    | { readonly kind: 'serving'; readonly ok: boolean; readonly detail: string }
    /**
     * A value was put into a known server and read back at once (`written`), or asked for after it was started again (`read`);
     * `refused`: it says that it is set up to keep nothing. `detail` is what it answered, or why there is no answer.
     */
    | {
        readonly kind: 'state';
        readonly did: 'written' | 'read' | 'refused';
        readonly ok: boolean;
        /** Whether it answered anything at all. */
        readonly answered: boolean;
        readonly token: string;
        readonly detail: string;
      }
    /**
     * What was seen of the second life of the container, which was started again after its own end: wrapped, so that nothing
     * that speaks of the first life finds it.
     */
    | { readonly kind: 'second.life'; readonly seen: Draft }
    | { readonly kind: 'wait'; readonly describe: string }
    | { readonly kind: 'wait.expired'; readonly describe: string; readonly last?: string }
    /** The harness's own event loop, or the way to its sidecar, was late by this much: timing around it is worth less. */
    | { readonly kind: 'stall'; readonly lateMs: number }
    /**
     * How long a processor was waited for, by the kernel's own account: by the threads of the container since their start, or
     * between begin and t by anything on this machine.
     */
    | { readonly kind: 'cpu.pressure'; readonly of: 'container' | 'machine'; readonly waitedMs: number }
    | {
        readonly kind: 'capability.missing';
        readonly capability: string;
        readonly reason: string;
        readonly declare: string;
      }
    | { readonly kind: 'fault'; readonly where: 'engine' | 'dependency' | 'harness'; readonly message: string }
    /** The last line. A history without it cannot pass but can fail (architecture rule 5). */
    | { readonly kind: 'end' }
  );

export type SignalPurpose = 'script' | 'outer-timeout' | 'clean-up';
export type ObservationKind = Observation['kind'];
export type ObservationOf<K extends ObservationKind> = Extract<Observation, { kind: K }>;
/** What an observer hands to the recorder: everything but the sequence number. */
export type Draft = Observation extends infer O ? (O extends Observation ? Omit<O, 'seq'> : never) : never;
