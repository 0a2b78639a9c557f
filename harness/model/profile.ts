import type { AcceptedStatus, LogPatterns, PresetName, Terms, Waiver } from './clause.ts';
import type {
  Bootstrap,
  Dependency,
  Endpoints,
  GraceEnv,
  PlacedFile,
  ReadySpec,
  Registry,
  Target,
  TlsAccess,
  Volume,
} from './target.ts';

/** A dependency as a profile declares it: which image its reference is on an engine is found out later. */
export type DeclaredDependency = Omit<Dependency, 'image'>;

/** What a service cannot do without and what only its user can declare. */
export interface Need {
  /** `PostgreSQL`. */
  readonly what: string;
  /** The key under which it is declared; where that says something, the need is met. */
  readonly declare: 'dependencies' | 'files' | 'ready';
  /** What to write. */
  readonly how: string;
}

/**
 * One image's facts, from `lf-qualify.yaml` (one of its `images`, with what stands above them). Everything is optional:
 * an image without a profile is judged as baseline.
 */
export interface Profile {
  readonly version: 1;
  /** Absolute path of the file, for messages. */
  readonly path: string;
  /** The top-level keys that the file has: what it overrules of a profile in the image's label. */
  readonly declared?: readonly string[];
  readonly image?: string;
  /** Name of this image with these facts, for reports. Absent: the reference. */
  readonly name?: string;
  readonly preset?: PresetName;
  readonly engines?: readonly ('docker' | 'podman')[];
  readonly command?: readonly string[];
  readonly user?: string;
  readonly files: readonly PlacedFile[];
  readonly volumes: readonly Volume[];
  readonly memoryBytes?: number;
  /** Those of `envFile` too, which `env` goes before. */
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** The secrets that are names: what a flag or another profile sets under them is secret too. */
  readonly secretNames?: readonly string[];
  readonly outbound?: boolean;
  readonly dependencies: readonly DeclaredDependency[];
  readonly port?: number;
  /** Ports that speak neither HTTP nor TLS. */
  readonly tcpPorts?: readonly number[];
  /** Name of a known server. */
  readonly server?: string;
  /** In place of the image's, without SIG. */
  readonly stopSignal?: string;
  readonly ready?: ReadySpec;
  readonly startTimeoutMs?: number;
  readonly graceMs?: number;
  /** The environment variable that sets the grace: `SERVER_SHUTDOWNGRACEFULPERIOD`, in ms unless it says so. */
  readonly graceEnv?: GraceEnv;
  readonly outerTimeoutMs?: number;
  readonly toleranceMs?: number;
  readonly allowanceMs?: number;
  readonly acceptedStatuses?: readonly AcceptedStatus[];
  readonly tls?: TlsAccess;
  readonly endpoints: Endpoints;
  readonly registry?: Registry;
  readonly bootstrap?: Bootstrap;
  readonly faults: Target['faults'];
  readonly zeroGrace?: 'warn' | 'refuse';
  readonly patterns: LogPatterns;
  /** Terms that have no field of their own here. */
  readonly terms: Partial<Terms>;
  readonly require: readonly string[];
  readonly waivers: readonly Waiver[];
  readonly about?: {
    /** Where values come from, by the key of the file (of a term its name), shown beside them. */
    readonly origins: Readonly<Record<string, string>>;
    readonly needs: readonly Need[];
  };
}
