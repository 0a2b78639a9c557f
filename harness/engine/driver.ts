import type { EngineFacts, EngineName, ImageFacts } from '../model/engine.ts';

/** Label on every object a run creates; its value is the run id (architecture rule 15). */
export const RUN_LABEL = 'io.lf-qualify.run';
/** Label naming the harness process that owns the object, `<host boot id>:<pid>:<start ticks>`: dead owner, swept. */
export const OWNER_LABEL = 'io.lf-qualify.owner';

/** Labels every created object carries. */
export interface Ownership {
  readonly run: string;
  readonly owner: string;
}

export interface ContainerSpec {
  readonly name: string;
  /** Image id (`sha256:…`); never pulled by start. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Network id or name; absent: no network at all. */
  readonly network?: string;
  readonly memoryBytes?: number;
  /** Put the engine's own init in front, as PID 1. */
  readonly init?: boolean;
  readonly ownership: Ownership;
}

/** A chunk of output, stamped by the driver's caller on arrival. Demultiplexed; not split into lines. */
export type OutputListener = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** Hooks called while a container comes up. Output is attached before start, so nothing is lost (engines.md section 6). */
export interface StartHooks {
  readonly onCreated?: (id: string, name: string) => void;
  readonly onOutput?: OutputListener;
  /** The attached stream ended: on Podman 2 ms after the exit, on Docker about 22 (engines.md section 1). */
  readonly onOutputEnd?: () => void;
}

/** Engine-side state of a container, engine differences removed. Times are engine realtime, ns since the epoch. */
export interface ContainerState {
  readonly running: boolean;
  /** As the engine says it. `stopped` passes through on Podman before `exited`: test `running`. */
  readonly status: string;
  /** Absent while running. */
  readonly exitCode?: number;
  readonly oomKilled: boolean;
  readonly startedAtNs?: bigint;
  readonly finishedAtNs?: bigint;
  /** PID 1 on the engine's host; 0 or absent when not running. */
  readonly pid?: number;
  readonly error?: string;
  readonly address?: string;
}

/** An entry of the engine's event stream for one container. Numbers keep nanoseconds (the raw line is read). */
export interface EngineEvent {
  readonly action: string;
  readonly atNs: bigint;
  /** Docker only: Podman's kill events carry no signal. */
  readonly signal?: string;
  readonly exitCode?: number;
}

/** A started container. All methods throw EngineError; `lost` is set when the engine no longer answers. */
export interface RunningContainer {
  readonly id: string;
  readonly name: string;
  /** PID 1 on the engine's host. */
  readonly pid: number;
  /** The container's own address on the run's network. */
  readonly address?: string;
  inspect(): Promise<ContainerState>;
  /**
   * One signal to PID 1 by the engine's kill API, never the engine's stop. Resolves when the engine answered.
   * `ended` when the engine says the container no longer runs (Docker 409, Podman 500): a fact, not an error.
   */
  kill(signal: string): Promise<'delivered' | 'ended'>;
  /** The engine's own stop. `timeoutS` absent: the engine's default of 10 s, which Podman must be told (engines.md section 2). */
  stop(timeoutS?: number): Promise<void>;
  /** Resolves once the engine shows the container not running; by the cheapest trustworthy way of this engine. */
  ended(abort: AbortSignal): Promise<ContainerState>;
  /** Everything that the engine stored, without timestamps, after the end. */
  logs(): Promise<{ stdout: Buffer; stderr: Buffer }>;
  /** Events of this container since it was created. */
  events(): Promise<readonly EngineEvent[]>;
  /** Remove with force; fine when already gone. */
  remove(): Promise<void>;
}

export interface ImageArchive {
  readonly stream: NodeJS.ReadableStream;
}

/** What is left of earlier runs or of this one. */
export interface OwnedObject {
  readonly type: 'container' | 'network' | 'image';
  readonly id: string;
  readonly name: string;
  readonly run: string;
  readonly owner: string;
}

/** A container that holds something, for example a network, for as long as a run lasts. */
export interface HeldContainer {
  readonly id: string;
  readonly address?: string;
  /** Remove with force; fine when already gone. */
  remove(): Promise<void>;
}

/** One engine behind one interface. One file an engine; only that file knows the SDK. */
export interface EngineDriver {
  readonly name: EngineName;
  /** Facts of the engine; throws EngineError when it does not answer. */
  facts(): Promise<EngineFacts>;
  /** Undefined when the engine does not have it. */
  inspectImage(reference: string): Promise<ImageFacts | undefined>;
  pullImage(reference: string, onProgress: (line: string) => void): Promise<void>;
  saveImage(reference: string): Promise<ImageArchive>;
  loadImage(archive: NodeJS.ReadableStream, onProgress: (line: string) => void): Promise<void>;
  tagImage(id: string, repository: string, tag: string): Promise<void>;
  untagImage(reference: string): Promise<void>;
  /** A network without a way out (`internal`) unless told otherwise. Returns its id. */
  createNetwork(name: string, options: { internal: boolean; ownership: Ownership }): Promise<string>;
  removeNetwork(id: string): Promise<void>;
  /**
   * The IPv4 address that the engine's host has on a network, by id or name: what listens there is reached by the
   * containers of a network without a way out too. Undefined if there is none. The address may only appear with the
   * network's first container (Podman) and goes with its last (engines.md).
   */
  gatewayOf(network: string): Promise<string | undefined>;
  /**
   * Create, attach, start. The container never restarts, is never auto-removed, has no tty and no published port. Throws
   * EngineError with `missing: 'init'` where an init is asked for and the engine has none to put in front.
   */
  start(spec: ContainerSpec, hooks?: StartHooks): Promise<RunningContainer>;
  /**
   * Create and start a container that only has to be there, without output and without the process-wide binding that
   * `start` needs: for the one long-lived container of a process that talks to several engines.
   */
  hold(spec: ContainerSpec): Promise<HeldContainer>;
  /** Every container, network and run-named image that carries the run label. */
  owned(): Promise<readonly OwnedObject[]>;
  removeOwned(object: OwnedObject): Promise<void>;
  /** Give up connections so that the process can end. */
  close(): void;
}
