/** Errors that the command line turns into an exit code; everything else is a harness fault. */
abstract class NamedError extends Error {
  abstract readonly code: string;
  override get name(): string {
    return this.constructor.name;
  }
}

/** Bad input: exit 64. The message names option, value and remedy. */
export class UsageError extends NamedError {
  readonly code = 'LFQ_USAGE';
}

/** An engine that is missing, broken or lost: exit 70. */
export class EngineError extends NamedError {
  readonly code = 'LFQ_ENGINE';
  /** True when the engine itself no longer answers, so that nothing more can be expected of it. */
  readonly lost: boolean;
  /**
   * What just this call lacks: an init of the engine to put in front of a container's process, or a declared file, which says
   * nothing about the image.
   */
  readonly missing?: 'init' | 'file';
  constructor(message: string, options?: ErrorOptions & { lost?: boolean; missing?: 'init' | 'file' }) {
    super(message, options);
    this.lost = options?.lost ?? false;
    if (options?.missing !== undefined) this.missing = options.missing;
  }
}

/** The installation itself is not whole: exit 70. The message says what brings the missing part. */
export class HarnessError extends NamedError {
  readonly code = 'LFQ_HARNESS';
}

/** A history or plan that cannot be read: exit 64 when the user named it, 70 inside a run. */
export class StoreError extends NamedError {
  readonly code = 'LFQ_STORE';
}
