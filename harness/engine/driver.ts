import type { Readable, Writable } from 'node:stream';
import type { EngineFacts, EngineName, ImageFacts } from '../model/engine.ts';
import type { PlacedFile, Volume } from '../model/target.ts';

/** Label on every object a run creates; its value is the run id (architecture rule 15). */
export const RUN_LABEL = 'io.lf-qualify.run';
/** Label naming the harness process that owns the object, `<host boot id>:<pid>:<start ticks>:<pid namespace>`: dead owner, swept. */
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
  /** Further host names on that network. */
  readonly aliases?: readonly string[];
  /** Names that its `/etc/hosts` gives an address: known without any name server. */
  readonly hosts?: Readonly<Record<string, string>>;
  /**
   * Whether names are looked up at all, by the name servers of network and host. Without it none are: Podman's own name
   * server asks the host's also for a network without a way out, and Docker's where that listens on a loopback address.
   */
  readonly outbound?: boolean;
  /** `user`, `uid` or `uid:gid`; absent: the image's. */
  readonly user?: string;
  /** Put into it between creation and start. A source that cannot be read is an EngineError naming it. */
  readonly files?: readonly PlacedFile[];
  /** New and empty for this container, removed with it. */
  readonly volumes?: readonly Volume[];
  /** `os/arch` to choose from an image of several; absent: the engine's. */
  readonly platform?: string;
  readonly memoryBytes?: number;
  /** In place of the image's, without SIG. */
  readonly stopSignal?: string;
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
  /**
   * What the engine stored, without timestamps, after the end, as it is read: it may be larger than memory. `lastEntries`:
   * no more than so many of the engine's last entries, of which a line longer than 16 KiB takes several.
   */
  logs(listener: OutputListener, lastEntries?: number): Promise<void>;
  /** Events of this container since it was created. */
  events(): Promise<readonly EngineEvent[]>;
  /**
   * Start the same container again after its end, on what it left: its layer and its volumes, but for those in memory. Its
   * address may be another one. `logs` and `events` are those of all its lives. `onCreated` is not called.
   */
  startAgain(hooks: Omit<StartHooks, 'onCreated'>): Promise<RunningContainer>;
  /** Remove with force; fine when already gone. */
  remove(): Promise<void>;
}

/** What a registry is told; never written anywhere. */
export interface RegistryCredentials {
  readonly serveraddress: string;
  readonly username?: string;
  readonly password?: string;
  readonly identitytoken?: string;
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

/** A container of ours in the namespaces of a running one, with its standard streams in our hands. */
export interface SidecarSpec {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  /** The container whose network namespace it shares, or a network that it is on with an address of its own. */
  readonly network: { readonly container: string } | { readonly name: string };
  /**
   * Let it see the processes of the engine's host, so that a container's PID 1 can be watched from outside of its
   * namespace: what is inside dies with PID 1 and is part of its teardown (engines.md section 4).
   */
  readonly hostProcesses?: boolean;
  readonly ownership: Ownership;
}

/** A running sidecar. Podman refuses to remove a container while one of these lives in its network: removed first. */
export interface Sidecar {
  readonly id: string;
  /** Its own address; absent where it shares another container's network. */
  readonly address?: string;
  /** Its standard input. */
  readonly input: Writable;
  /** Its standard output, demultiplexed; ends with it. */
  readonly output: Readable;
  /** Remove with force; fine when already gone. */
  remove(): Promise<void>;
}

/** What a command in a running container came to. Output is cut at 64 KiB. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** A regular file in a folder of a container. */
export interface FolderFile {
  /** Relative to the folder. */
  readonly name: string;
  readonly bytes: number;
  /** Absent where it is larger than what is read. */
  readonly content?: Buffer;
}

/** One engine behind one interface. One file an engine; only that file knows the SDK. */
export interface EngineDriver {
  readonly name: EngineName;
  /** Facts of the engine; throws EngineError when it does not answer. */
  facts(): Promise<EngineFacts>;
  /** Undefined when the engine does not have it. */
  inspectImage(reference: string): Promise<ImageFacts | undefined>;
  /** Pull, with the credentials that the engine's own client would send. `platform` is `os/arch`; absent: the engine's. */
  pullImage(
    reference: string,
    onProgress: (line: string) => void,
    options?: { readonly platform?: string; readonly credentials?: RegistryCredentials },
  ): Promise<void>;
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
  hold(spec: ContainerSpec, hooks?: StartHooks): Promise<HeldContainer>;
  /** Create, attach with input, start. Throws EngineError. */
  startSidecar(spec: SidecarSpec): Promise<Sidecar>;
  /** The state of a container by its id, whoever holds it. Throws EngineError, also where there is none. */
  stateOf(container: string): Promise<ContainerState>;
  /** Run a command in a running container and wait for it. Throws EngineError where it cannot be run or takes too long. */
  runIn(container: string, command: readonly string[], limitMs: number): Promise<CommandResult>;
  /**
   * The regular files below a folder of a container, its volumes included, while it runs and after its end; up to 16 MiB of
   * content in all. Sorted by name. Throws EngineError, also where there is no such folder.
   */
  readFolder(container: string, path: string): Promise<readonly FolderFile[]>;
  /**
   * The image's HEALTHCHECK of a running container: what the engine last saw (Docker), or run once (Podman, which runs none
   * by itself). `none` where the image declares none.
   */
  healthOf(container: string): Promise<'healthy' | 'unhealthy' | 'starting' | 'none'>;
  /** Every container, network and run-named image that carries the run label. */
  owned(): Promise<readonly OwnedObject[]>;
  removeOwned(object: OwnedObject): Promise<void>;
  /** Give up connections so that the process can end. */
  close(): void;
}
