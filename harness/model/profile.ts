import type { AcceptedStatus, LogPatterns, PresetName, Waiver } from './clause.ts';
import type { Endpoints, GraceEnv, ReadySpec, Registry, Target, TlsAccess } from './target.ts';

/** One image's facts, from `lf-qualify.yaml`. Everything is optional: an image without a profile is judged as baseline. */
export interface Profile {
  readonly version: 1;
  /** Absolute path of the file, for messages. */
  readonly path: string;
  /** The top-level keys that the file has: what it overrules of a profile in the image's label. */
  readonly declared?: readonly string[];
  readonly image?: string;
  readonly preset?: PresetName;
  readonly engines?: readonly ('docker' | 'podman')[];
  readonly command?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly port?: number;
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
  readonly faults: Target['faults'];
  readonly zeroGrace?: 'warn' | 'refuse';
  readonly patterns: LogPatterns;
  readonly require: readonly string[];
  readonly waivers: readonly Waiver[];
}
