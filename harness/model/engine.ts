/** The engines that have a driver. `fake` exists only in tests. */
export type EngineName = 'docker' | 'podman' | 'fake';

/** What is known of an engine at the start of a run. Shapes differ by version: a missing field is unknown. */
export interface EngineFacts {
  readonly name: EngineName;
  readonly version: string;
  readonly apiVersion: string;
  /** Where the engine is, as its user says it, for example `unix:///var/run/docker.sock` or `ssh://me@build`. */
  readonly address: string;
  /** Where to speak to it for as long as the command line runs, if not at its address: what carries TLS or ssh to it. */
  readonly endpoint?: string;
  readonly runtime?: string;
  readonly rootless: boolean;
  /**
   * The engine runs on this host, so its processes can be watched through /proc. Says nothing of its networks: those of a
   * rootless engine are not this host's.
   */
  readonly local: boolean;
  readonly cgroupVersion?: string;
  readonly storage?: string;
  readonly os?: string;
  readonly kernel?: string;
  readonly architecture?: string;
  /** The init that it puts in front of a container's process, as far as that can be known. */
  readonly init?: string;
  /** Identity of the engine itself: two addresses with one id are one engine. */
  readonly id?: string;
  /** Engine realtime clock minus harness realtime clock, ms, and how far that may be off. Local: 0 ± 0. */
  readonly clockOffsetMs: number;
  readonly clockErrorMs: number;
}

/** One place where an engine was looked for, and why it was not used. */
export interface EngineCandidate {
  readonly engine: EngineName;
  readonly address: string;
  /** Where the candidate came from: `DOCKER_HOST`, `docker context prod`, `well-known socket`, `podman command`. */
  readonly origin: string;
  /** Absent when it answered. */
  readonly failure?: string;
}

/** What an image says about itself. The digest is the config digest, the identity of a run (architecture rule 12). */
export interface ImageFacts {
  /** What the user typed. */
  readonly reference: string;
  /** `sha256:…` of the image configuration. */
  readonly digest: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
  readonly stopSignal: {
    readonly value: string;
    readonly origin: 'image' | 'engine default' | 'profile' | 'command line';
  };
  readonly exposedPorts: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  readonly hasHealthcheck: boolean;
  readonly architecture?: string;
  readonly os?: string;
  /** Of an architecture with several, such as `v7` of arm. */
  readonly variant?: string;
  readonly repoDigests: readonly string[];
}
