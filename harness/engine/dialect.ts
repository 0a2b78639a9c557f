import type Docker from 'dockerode';
import type { EngineName } from '../model/engine.ts';

/** What differs between engines that speak Docker's API, as data (engines.md). */
export interface Dialect {
  readonly name: Exclude<EngineName, 'fake'>;
  /** For messages. */
  readonly title: string;
  /** `Components[0].Name` of `/version`. */
  readonly component: string;
  /** What the driver of another engine should be told by. */
  readonly envName: string;
  /** Seconds `stop` passes when none are asked for; absent where the engine's own default is trustworthy. */
  readonly defaultStopS?: number;
  /** An answer to kill that means the container has ended; confirmed by inspect. */
  readonly killOnEnded: RegExp;
  /** Query for the past events of one container. Times are seconds since the epoch. */
  pastEvents(createdS: number, nowS: number): Docker.GetEventsOptions;
  /** Whether a pending wait on the engine is cheap. Podman's burns a core (engines.md section 1). */
  readonly cheapWait: boolean;
  /** Whether the image has a health check, when the compatible image inspect does not tell. */
  readonly imagePath?: (id: string) => string;
  /** A path whose GET runs the HEALTHCHECK of a container once; absent where the engine runs it by itself. */
  readonly healthPath?: (id: string) => string;
  /** Options of a volume in memory without which it would not be empty. */
  readonly tmpfsOptions?: readonly string[];
  /** A stable identity of the engine from `/info`. */
  identity(info: Readonly<Record<string, unknown>>): string | undefined;
  rootless(info: Readonly<Record<string, unknown>>): boolean;
}
