import type { WebSocketEndpoint } from './websocket.ts';

/** How readiness is observed. Polled every few milliseconds from the vantage point of the later probes. */
export type ReadySpec =
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly path: string;
      readonly origin: string;
      /** Ask over TLS. */
      readonly tls?: true;
    }
  | {
      readonly kind: 'tcp';
      readonly port: number;
      readonly origin: string;
      /** The service speaks first, and is ready once it does: many listen before they can serve. */
      readonly greets?: true;
    }
  | { readonly kind: 'log'; readonly pattern: string; readonly origin: string }
  /** The image's own HEALTHCHECK, run by the harness through the engine: Podman runs none by itself (engines.md section 7). */
  | { readonly kind: 'health'; readonly origin: string }
  /** Nothing is declared or exposed: ready once the process has lived this long. An assumption, and shown as one. */
  | { readonly kind: 'settled'; readonly afterMs: number; readonly origin: string };

/** A declared endpoint of the service, `METHOD /path` split. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** What a profile declares of a service's routes. A `{ms}` in a path stands for the milliseconds the answer shall take. */
export interface Endpoints {
  /** Hold a request until the answer is due; tried before the general shapes. */
  readonly slow: readonly Endpoint[];
  /** Answer in pieces, for ever or for `{ms}`. */
  readonly stream: readonly Endpoint[];
  /** Server-sent events, for ever or for `{ms}`. */
  readonly sse: readonly Endpoint[];
  /** Take a body. */
  readonly upload: readonly Endpoint[];
  /** Exact routes that answer while the gate is closed (ADM-7). Everything else is an application route. */
  readonly control: readonly Endpoint[];
  /** Exact routes that tell whether the process lives: no application routes, and judged only by `livenessInDrain`. */
  readonly liveness?: readonly Endpoint[];
  /** Take a WebSocket. Absent: none is declared. */
  readonly webSocket?: readonly WebSocketEndpoint[];
}

/** A TLS port. Without a CA the certificate is not verified, and reports say so. */
export interface TlsAccess {
  readonly port: number;
  /** PEM. */
  readonly ca?: string;
  readonly serverName?: string;
  /** Whether HTTP/2 is declared; else ALPN tells. */
  readonly http2?: boolean;
}

/** How the grace is set from outside. A service that counts in seconds cannot be given 700 ms. */
export interface GraceEnv {
  readonly name: string;
  readonly unit: 'ms' | 's';
}

/** The environment that makes the service register with a controller. */
export interface Registry {
  /** Gets the controller's URL, `http://address:port`. */
  readonly urlEnv: string;
  /** What else must be set for that. */
  readonly env: Readonly<Record<string, string>>;
}

/** The config server that the service starts from (light-fabric.md, remote bootstrap). */
export interface Bootstrap {
  /** Gets the URL of the config server that the harness plays, `http://address:port`. */
  readonly urlEnv: string;
  /** What else must be set for that. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder in the container in which it keeps what it got, absolute; a volume for the time of the run. */
  readonly cache?: string;
}

/**
 * Faults a profile can declare: clean-up that takes long, that never ends, a thread that never ends, a resource of the
 * start-up that cannot be unwound (STA-3), and a configuration with which it cannot start (STA-11).
 */
export type FaultName = 'slow-clean-up' | 'stuck-clean-up' | 'stuck-thread' | 'stuck-start-up' | 'bad-configuration';

/** A file put into a container between its creation and its start. */
export interface PlacedFile {
  /** Absolute, in the container. */
  readonly path: string;
  /** Absolute, on this host; read when the container is created. */
  readonly source: string;
  /** Permission bits. @default those of the source */
  readonly mode?: number;
}

/** A place to write that is not the image's own layer, new and empty for each container and removed with it. */
export interface Volume {
  /** Absolute, in the container. */
  readonly path: string;
  /** In memory instead of on the engine's disk, at most so many bytes where it says so. */
  readonly tmpfs?: { readonly sizeBytes?: number };
}

/** What the container of a target or dependency gets besides its image. */
export interface ContainerSetup {
  readonly command?: readonly string[];
  /** `user`, `uid` or `uid:gid`. */
  readonly user?: string;
  readonly files: readonly PlacedFile[];
  readonly volumes: readonly Volume[];
  readonly memoryBytes?: number;
  /** Values reach the container only; histories store `<set>` (architecture rule 14). */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Another container on the run's network that the service needs: started once per engine before the first scenario, and
 * reset between scenarios.
 */
export interface Dependency extends ContainerSetup {
  /** Its host name on the run's network. */
  readonly alias: string;
  /** What the user typed; carried and pulled like a target. */
  readonly reference: string;
  /** Image id on this engine. */
  readonly image: string;
  readonly ready: ReadySpec;
  readonly startTimeoutMs: number;
  /** Run in it before each scenario that needs it, none of them side by side then. Absent: nothing is kept in it. */
  readonly reset?: readonly string[];
}

/** How a value is put into a known server and read back, as bytes over one of its TCP ports. */
export interface StateProbe {
  readonly port: number;
  /** `TOKEN` in each stands for a value of letters and digits. */
  readonly write: string;
  readonly read: string;
  /** What an answer to `read` contains where the value was kept. */
  readonly expect: string;
  /** Asked first, where the server may be set up to keep nothing: then its answer contains `says`. */
  readonly unless?: { readonly ask: string; readonly says: string };
}

/** Everything about one image that a scenario needs in order to run it. */
export interface Target extends ContainerSetup {
  /** Name for reports: the reference as the user typed it. */
  readonly name: string;
  /** What the engine is asked to run: an image id, never a movable tag. */
  readonly image: string;
  /** The run's network has no way out unless this is set (rule 14). */
  readonly outbound: boolean;
  readonly dependencies: readonly Dependency[];
  readonly ready: ReadySpec;
  readonly startTimeoutMs: number;
  /** The port that carries HTTP in the clear, if one is known. */
  readonly httpPort?: number;
  /** The port that carries TLS, where one is declared. */
  readonly tls?: TlsAccess;
  /** Ports that take connections and speak neither HTTP nor TLS: what needs no protocol is tried on them. Absent: none. */
  readonly tcpPorts?: readonly number[];
  /** The known server that it is, by its name in the table of known servers. */
  readonly server?: string;
  /** How the known server is made to keep something, where that is known. */
  readonly state?: StateProbe;
  /** The stop signal that it is given in place of the image's, without SIG. */
  readonly stopSignal?: string;
  readonly endpoints: Endpoints;
  /** The environment variable that sets the grace, where one is declared. */
  readonly graceEnv?: GraceEnv;
  /** How the service is told of its controller, where that is declared. */
  readonly registry?: Registry;
  /** How the service is told of its config server, where that is declared. */
  readonly bootstrap?: Bootstrap;
  /** Declared faults (contract.md, DLN-6, STA-3, STA-11): the environment that brings each about. */
  readonly faults: Readonly<Partial<Record<FaultName, Readonly<Record<string, string>>>>>;
  /** Texts that must never be written: declared secrets and secret env values. */
  readonly secrets: readonly string[];
}
