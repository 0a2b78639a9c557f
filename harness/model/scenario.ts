import type { Capability } from './clause.ts';
import type { StartUpPeer } from './start-up-observation.ts';
import type { FaultName } from './target.ts';
import type { WebSocketKind } from './websocket.ts';

/**
 * A length of time over the terms in force: a sum or difference of `200ms`, `1s` and the names grace, floor, hardDeadline,
 * stopBound, outerTimeout, idleWatch, serveAfter, longWork (ends inside the grace), each of which may be divided: `grace/4`.
 */
export type TimeExpression = string;

/** A signal name without SIG, `primary` for the preset's own, or `$signal` for the matrix value of that name. */
export type SignalExpression = string;

/** One step of a script. A step says when; inject/, load/ and observe/ do the work. */
export type Step =
  /** Wait until the service answered its readiness `answers` times (default 2). */
  | { readonly step: 'ready'; readonly answers: number }
  /** Wait until the service has registered with the played controller. */
  | { readonly step: 'registered'; readonly within: TimeExpression }
  /** Start the scenario's load and wait until it is proven held. */
  | { readonly step: 'load' }
  /** Start the admission probe and wait until its kept connections are warm. It ends with the target. */
  | { readonly step: 'probe'; readonly every: TimeExpression; readonly kept: number; readonly way?: Way }
  | { readonly step: 'hold'; readonly for: TimeExpression }
  /** One signal through the engine's kill API; by the host's own kill, where PID 1 is a process of this host. */
  | { readonly step: 'signal'; readonly signal: SignalExpression; readonly by?: 'host' }
  /** The same signal again and again, at most so often and for so long, each awaited. */
  | {
      readonly step: 'storm';
      readonly signal: SignalExpression;
      readonly count: number;
      readonly within: TimeExpression;
    }
  /** The engine's own stop: its default timeout, or one that is given. */
  | { readonly step: 'stop'; readonly timeout: string }
  /** Wait until the probe has seen that new work is turned away, at most so long; goes on in any case. */
  | { readonly step: 'gate-closed'; readonly within: TimeExpression }
  /** Ask the readiness route, the declared liveness and control routes and near misses of these, once each (ADM-6, ADM-7). */
  | { readonly step: 'ask' }
  /** Complete the harness's part of all held work: the rest of a body, of half-sent headers. */
  | { readonly step: 'finish' }
  /** Look at the service every `every` for this long; it should keep serving. */
  | { readonly step: 'watch'; readonly for: TimeExpression; readonly every: TimeExpression }
  /** Wait for the end of PID 1; past `within` the harness sends SIGKILL and records that it did. */
  | { readonly step: 'exited'; readonly within: TimeExpression }
  /**
   * From here on look for readiness, and let so much time pass from the engine's start on; no more than until the service
   * is ready: what comes next then comes on the edge of readiness.
   */
  | { readonly step: 'starting'; readonly for: TimeExpression }
  /**
   * After a signal into the start-up: wait until the end, or until the service is ready all the same and `for` more. Where
   * its processes leave open whether it has heard the signal, it is given until `within` after the signal to end by itself.
   */
  | { readonly step: 'settle'; readonly for: TimeExpression; readonly within: TimeExpression }
  /** Wait until the service has asked a played peer that holds its answer: start-up is pending there. */
  | { readonly step: 'pending'; readonly peer: StartUpPeer | `$${string}`; readonly within: TimeExpression }
  /** Answer what a played peer holds. */
  | { readonly step: 'release'; readonly peer: StartUpPeer | `$${string}` }
  /** From here on ask an application route on new connections, every so often, until the script ends (STA-7). */
  | { readonly step: 'early-probe'; readonly every: TimeExpression }
  /** Look at the declared cache once the container has ended (STA-5). */
  | { readonly step: 'look-inside' }
  /** Ask for an upgrade to a WebSocket on a new connection (WSS-6); goes on in any case. */
  | { readonly step: 'upgrade' }
  /** Put a value into a known server; goes on in any case. */
  | { readonly step: 'write-state' }
  /** The last step: after its own good end the same container is started again, once all of its first life is on record. */
  | { readonly step: 'restart' };

/** What a load speaks: the service's first way in, or one named; `$over` takes it from the matrix. */
export type Way = 'any' | 'http' | 'https' | 'h2' | 'tcp' | `$${string}`;

/** The ways to hold a service by not going on (DRN-6); over bare TCP silent, half-sent, one-line and half-closed. */
export type StalledKind =
  | 'silent'
  | 'half-request-line'
  | 'half-headers'
  | 'half-body'
  | 'half-tls-handshake'
  | 'reader-stops'
  | 'half-closed'
  | 'half-sent'
  | 'one-line';

/** What keeps the target busy, by shape and its settings. One shape a file under load/. */
export type Load =
  /** Requests whose body is sent slowly: held without the service's help, complete at `finish`. */
  | { readonly shape: 'slow-body'; readonly count: number; readonly way?: Way }
  /** Requests to a declared slow endpoint, which answers after `for`. */
  | { readonly shape: 'slow-answer'; readonly count: number; readonly for: TimeExpression; readonly way?: Way }
  /** The same as slow-body on a connection that was used and kept alive before. */
  | { readonly shape: 'warm-slow-body'; readonly count: number; readonly way?: Way }
  /** Uploads of many bytes, going on across the signal, complete at `finish`. */
  | { readonly shape: 'upload'; readonly count: number; readonly way?: Way }
  /** Streaming answers that are being read, chunked or server-sent events; `for` absent: without an end of their own. */
  | {
      readonly shape: 'stream';
      readonly kind: 'chunked' | 'sse' | `$${string}`;
      readonly count: number;
      readonly for?: TimeExpression;
      readonly way?: Way;
    }
  /** Connections that were answered once and are kept alive, with nothing in flight. */
  | { readonly shape: 'idle-keep-alive'; readonly count: number; readonly way?: Way }
  /** Connections whose headers are half sent; complete at `finish`. */
  | { readonly shape: 'half-headers'; readonly count: number; readonly way?: Way }
  /** One connection that does not go on, of one kind. */
  | { readonly shape: 'stalled'; readonly kind: StalledKind | `$${string}`; readonly way?: Way }
  /** WebSockets of one kind, open and held. */
  | {
      readonly shape: 'web-sockets';
      readonly kind: WebSocketKind | `$${string}`;
      readonly count: number;
      readonly way?: Way;
    }
  /** HTTP/2 sessions: one with streams in flight, one idle, and one that ignores GOAWAY and asks for new streams after it. */
  | { readonly shape: 'http2-sessions'; readonly streams: number };

/**
 * How the played controller answers: a goodbye after so long, or never; or, before it comes to that, no registration until
 * it is released, no handshake until it is released, or a refusal of the registration. Absent from a scenario: there is no
 * controller.
 */
export type ControllerBehaviour =
  | { readonly kind: 'acknowledges'; readonly after: TimeExpression }
  | { readonly kind: 'silent' }
  | { readonly kind: 'holds-registration' }
  | { readonly kind: 'holds-handshake' }
  | { readonly kind: 'refuses-registration' };

/**
 * How the played config server answers: at once, not until it is released, with half a body until it is released, or with
 * an error. Absent from a scenario: there is none.
 */
export type BootstrapBehaviour =
  | { readonly kind: 'answers' }
  | { readonly kind: 'holds' }
  | { readonly kind: 'holds-half' }
  | { readonly kind: 'fails' };

/** How the container differs from the image's normal run. */
export interface Setting {
  /** The grace it is given through the declared environment variable: milliseconds, or `$column`. `normal` leaves it. */
  readonly grace?: string;
  /** Start it with the engine's own init in front. */
  readonly init?: true;
  /** Play the controller that it registers with. */
  readonly controller?: ControllerBehaviour;
  /** Play the config server that it starts from. */
  readonly bootstrap?: BootstrapBehaviour;
  /** A declared fault, or `$column`. */
  readonly fault?: FaultName | `$${string}`;
}

/**
 * A column of times that is a sweep: where two neighbouring values show different things, cells with values in between are
 * added, until the change is known to so much.
 */
export interface Sweep {
  readonly column: string;
  /** A plain time, such as `25ms`. */
  readonly to: TimeExpression;
}

/** A scenario is data: no `if`, no sleep, no `expect` (architecture.md). */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly needs?: readonly Capability[];
  /** Arguments of the helper, which is run instead of the image: such a scenario judges the instrument (rule 8). */
  readonly helper?: readonly string[];
  /** One cell a row. Where a column speaks of the grace, its values that do not are for services without one. */
  readonly matrix?: Readonly<Record<string, readonly (string | number)[]>>;
  /** The column that is refined around a value where the outcome changes. */
  readonly sweep?: Sweep;
  readonly setting?: Setting;
  readonly load?: readonly Load[];
  readonly script: readonly Step[];
  readonly clauses: readonly string[];
}
