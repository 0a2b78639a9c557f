/** How readiness is observed. Polled every few milliseconds from the vantage point of the later probes. */
export type ReadySpec =
  | { readonly kind: 'http'; readonly port: number; readonly path: string; readonly origin: string }
  | { readonly kind: 'tcp'; readonly port: number; readonly origin: string }
  | { readonly kind: 'log'; readonly pattern: string; readonly origin: string }
  /** Nothing is declared or exposed: ready once the process has lived this long. An assumption, and shown as one. */
  | { readonly kind: 'settled'; readonly afterMs: number; readonly origin: string };

/** A declared endpoint of the service, `METHOD /path` split. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** Everything about one image that a scenario needs in order to run it. */
export interface Target {
  /** Name for reports: the reference as the user typed it. */
  readonly name: string;
  /** What the engine is asked to run: an image id, never a movable tag. */
  readonly image: string;
  readonly command?: readonly string[];
  /** Values reach the container only; histories store `<set>` (architecture rule 14). */
  readonly env: Readonly<Record<string, string>>;
  readonly ready: ReadySpec;
  readonly startTimeoutMs: number;
  /** The port that carries HTTP, if one is known. */
  readonly httpPort?: number;
  /** Endpoints that hold a request; tried before the general shapes. */
  readonly slowEndpoints: readonly Endpoint[];
  /** Texts that must never be written: declared secrets and secret env values. */
  readonly secrets: readonly string[];
}
