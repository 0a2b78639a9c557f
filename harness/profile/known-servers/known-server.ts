import type { AcceptedStatus } from '../../model/clause.ts';
import type { ProcessFact } from '../../model/observation.ts';

/** What a signal means to a server, as its own documentation says. */
export type SignalMeaning =
  /** Takes no new work, lets work in flight finish, and ends. */
  | 'graceful'
  /** Cuts work in flight, leaves its own state in order, and ends. */
  | 'fast'
  /** Ends without leaving its state in order. */
  | 'immediate'
  /** Reads its configuration again and goes on; workers may be replaced. */
  | 'reload'
  /** Opens its log files again and goes on. */
  | 'reopen'
  /** Starts another executable or another set of workers beside it. */
  | 'upgrade'
  /** Takes down its workers and stays. */
  | 'workers'
  /** Writes something about itself and goes on. */
  | 'dump'
  /** Nothing. */
  | 'ignored'
  /** Something that ends nothing. */
  | 'other';

/** The signals that can be handled and that a stop may use, without SIG. */
export type ServerSignal = 'TERM' | 'INT' | 'QUIT' | 'HUP' | 'USR1' | 'USR2' | 'WINCH';

export interface SignalFact {
  readonly meaning: SignalMeaning;
  /** One clause that follows `SIGTERM`: `is its fast shutdown and cuts requests in flight`. */
  readonly says: string;
}

/** A value that can be put into the server and read back over its TCP port, as bytes. */
export interface KeptState {
  /** `TOKEN` in it stands for a value of letters and digits. */
  readonly write: string;
  readonly read: string;
  /** What an answer to `read` contains where the value was kept. */
  readonly expect: string;
  /** Asked first, where it may be set up to keep nothing: then its answer contains `says`. */
  readonly unless?: { readonly ask: string; readonly says: string };
}

/** A server that is known by its process: what its signals mean, and where its correct end differs from exit 0. */
export interface KnownServer {
  /** As a profile says it: `server: nginx`. */
  readonly name: string;
  /** For reports: `Apache httpd`. */
  readonly title: string;
  /** Whether a process is the server's own first one or another one that it renamed. */
  matches(process: ProcessFact): boolean;
  /** A signal that is missing here is not said by its documentation. */
  readonly signals: Readonly<Partial<Record<ServerSignal, SignalFact>>>;
  /** Statuses besides 0 of a stop that was right, with the reason that reports show. */
  readonly accepts?: readonly AcceptedStatus[];
  /** Name of the document that the signals are taken from: `nginx: Controlling nginx`. */
  readonly documentation: string;
  /** Sources of regular expressions for what the log of a start says after an unclean stop. */
  readonly recoveryLines?: readonly string[];
  readonly state?: KeptState;
}
