import type { EngineName } from './engine.ts';
import type { ProcessFact } from './observation.ts';

/** What a port was found to speak, each seen in an answer: nothing is taken from its number. */
export type Speech =
  /** HTTP/1.1 in the clear. */
  | 'http'
  /** TLS; `http2` where ALPN chose it, `http` where a request in it was answered. */
  | 'https'
  | 'tls'
  /** HTTP/2 in the clear, by prior knowledge, and no HTTP/1.1. */
  | 'h2c'
  /** Takes a connection and speaks none of these. */
  | 'tcp';

/** One port that the image exposes or that a process of it listens on. */
export interface FoundPort {
  readonly port: number;
  /** Whether the image's configuration names it. */
  readonly exposed: boolean;
  /** Where it is listened on: on an address that others reach, on loopback only, or not at all. */
  readonly listening: 'reachable' | 'loopback' | 'not';
  /** Absent where nothing reachable listens. */
  readonly speaks?: Speech;
  /** Whether ALPN chose h2 (of `https`). */
  readonly http2?: boolean;
  /** HTTP: what `GET path` was answered with, by path, and of `/` whether its answer was whole. */
  readonly answers?: Readonly<Record<string, number>>;
  /** Paths on which an upgrade to a WebSocket was answered with 101. */
  readonly webSockets?: readonly string[];
  /** It speaks first, before anything is sent (of `tcp`). */
  readonly greets?: true;
  /** In words, how it was told: `answered GET / with 404`, `sent "220 …" first`. */
  readonly told: string;
}

/**
 * What a short look at one running container of an image told, of which nothing is declared: the base of the weakest
 * profile there is. Nothing is judged by it.
 */
export interface Discovery {
  readonly engine: EngineName;
  /** From the start of the container to the end of the look, ms. */
  readonly tookMs: number;
  /** The process tree at the look, PID 1 first. */
  readonly processes: readonly ProcessFact[];
  /** In the order of preference: what carries HTTP first, and of equals what the image exposes. */
  readonly ports: readonly FoundPort[];
  /** The known server behind PID 1 or below it, by its name in the table of known servers. */
  readonly server?: string;
  /** The container ended by itself before it could be looked at. */
  readonly ended?: { readonly exitCode?: number; readonly lastLines: readonly string[] };
  /** What could not be looked at, and why. */
  readonly gaps: readonly string[];
}

/** Something that nobody declared and that the run goes by, with where it comes from: reports show each. */
export interface Assumption {
  /** The key of a profile that would say it: `port`, `ready`, `accept`. */
  readonly key: string;
  /** As a profile would write it: `{ http: / }`. */
  readonly value: unknown;
  /** `the lowest port that answers HTTP`. */
  readonly why: string;
}

/** The known server that a target is, and what the signal of its stop means to it. */
export interface ServerFact {
  /** By its name in the table of known servers. */
  readonly name: string;
  /** For people: `Apache httpd`. */
  readonly title: string;
  /** The signal that its stop is judged by, without SIG. */
  readonly signal: string;
  /** `SIGTERM is its fast shutdown and cuts requests in flight; SIGQUIT is its graceful shutdown …`. */
  readonly says: string;
  /** Name of the document that says so. */
  readonly documentation: string;
}
