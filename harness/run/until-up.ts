import type { ProcessFact } from '../model/observation.ts';
import type { Standing } from '../observe/listening.ts';

/** So long the listeners and processes stay as they are of what is up. */
const STEADY_MS = 200;
/** So long what is up but has something to do again and again may do that. */
const STEADY_LISTENERS_MS = 1500;
/** So long it does nothing, if it has nothing to listen on. */
const IDLE_MS = 1500;
/** So long if it leaves out a port that its image exposes: it may be waiting for something. */
const IDLE_LACKING_MS = 3000;
/** A timer that ticks is no work. */
const IDLE_WORK_MS = 50;
/** The same where its work is not seen: nothing of it changes. */
const SETTLE_MS = 2000;
const SETTLE_LACKING_MS = 5000;

/** Milliseconds, and a pause that an interruption ends. */
export interface UpClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface UpOptions {
  readonly look: () => Promise<Standing>;
  /** As a `StandingView` has it. Absent: not seen. */
  readonly workMs?: (processes: readonly ProcessFact[]) => Promise<number>;
  readonly everyMs: number;
  /** TCP ports that the image exposes. */
  readonly exposed: readonly number[];
  readonly clock: UpClock;
  /** Told between two looks: end the wait. */
  readonly stopped: () => boolean;
}

/** `late`: neither came within the limit. `ended`: it has no PID 1 any more. */
export type UpState = 'listening' | 'idle' | 'late' | 'ended';

/** Watches one container come up, over several waits. */
export class UpWatch {
  readonly #options: UpOptions;
  /** As it was seen last. */
  standing: Standing = { processes: [], listeners: [] };
  #all = { key: '', since: 0 };
  #listeners = { key: '', since: 0 };
  #quiet = { workMs: 0, since: 0 };

  constructor(options: UpOptions) {
    this.#options = options;
  }

  /** Since when it has done nothing, by the clock. */
  get quietSince(): number {
    return this.#quiet.since;
  }

  /**
   * Wait until it is up: every exposed port and at least one that others reach is listened on, and nothing has changed for a
   * moment; or it does nothing any more. `idle`: only the second counts. Rejects with what `look` rejects with, unless that
   * is a container that has ended.
   */
  async until(want: 'up' | 'idle', untilMs: number): Promise<UpState> {
    const { clock, everyMs } = this.#options;
    for (;;) {
      if (!(await this.#see())) return 'ended';
      if (want === 'up' && this.#listening()) return 'listening';
      if (this.#idle()) return 'idle';
      if (clock.now() >= untilMs || this.#options.stopped()) return 'late';
      await clock.sleep(everyMs);
    }
  }

  /** Whether it has ended by now. */
  async isGone(): Promise<boolean> {
    return !(await this.#see().catch(() => false));
  }

  async #see(): Promise<boolean> {
    const { look, workMs, clock } = this.#options;
    const seen = await look();
    if (!seen.processes.some(({ nsPid, state }) => nsPid === 1 && state !== 'Z')) return false;
    this.standing = seen;
    const now = clock.now();
    const listeners = JSON.stringify(seen.listeners);
    // Not by pid: a loop of short commands is as steady as it will ever be.
    const processes = [...new Set(seen.processes.map(({ comm, args }) => JSON.stringify([comm, args])))].toSorted();
    const all = JSON.stringify([listeners, processes]);
    if (listeners !== this.#listeners.key) this.#listeners = { key: listeners, since: now };
    const changed = all !== this.#all.key;
    if (changed) this.#all = { key: all, since: now };
    const used = (await workMs?.(seen.processes)) ?? 0;
    const busy = used - this.#quiet.workMs > IDLE_WORK_MS || used < this.#quiet.workMs;
    const restless = workMs === undefined ? changed : busy || this.#listeners.since === now;
    if (restless || this.#quiet.since === 0) this.#quiet = { workMs: used, since: now };
    return true;
  }

  /** Whether a port that the image exposes is not listened on. */
  get #lacks(): boolean {
    const ports = new Set(this.standing.listeners.map(({ port }) => port));
    return this.#options.exposed.some((port) => !ports.has(port));
  }

  #listening(): boolean {
    const { listeners } = this.standing;
    if (this.#lacks || !listeners.some(({ from }) => from === 'reachable')) return false;
    const now = this.#options.clock.now();
    return now - this.#all.since >= STEADY_MS || now - this.#listeners.since >= STEADY_LISTENERS_MS;
  }

  #idle(): boolean {
    const { workMs, clock } = this.#options;
    const [enough, lacking] = workMs === undefined ? [SETTLE_MS, SETTLE_LACKING_MS] : [IDLE_MS, IDLE_LACKING_MS];
    return clock.now() - this.#quiet.since >= (this.#lacks ? lacking : enough);
  }
}
