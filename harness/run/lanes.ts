import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityState, processIdentity } from './owner.ts';

/** `shared`: side by side with others. `alone`: no container starts or goes on this machine meanwhile (rule 4). */
export type Lane = 'shared' | 'alone';

const POLL_MS = 10;
const CHOOSING = 'choosing';

interface Entry {
  readonly file: string;
  /** CLOCK_MONOTONIC when it joined the queue, or `choosing` while it is being taken. */
  readonly ticket: string;
  readonly lane: string;
  readonly owner: string;
}

/**
 * The machine-wide lanes: one file per holder or waiter, first come, first served (Lamport's bakery, tickets from the
 * machine's monotonic clock). No lock is held, so a killed run blocks nobody: files of processes
 * that are gone, or of an earlier boot, are dropped by whoever looks next.
 */
export class Lanes {
  readonly #directory: string;
  #joined = 0;

  /** `directory` is shared by every run of this user on the machine. */
  constructor(directory: string = join(tmpdir(), `lf-qualify-lanes-${process.getuid?.() ?? 0}`)) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  /** Wait for the lane; the returned function gives it back. */
  async acquire(lane: Lane): Promise<() => void> {
    const owner = `${processIdentity()}~${this.#joined++}`;
    const choosing = join(this.#directory, `${CHOOSING}~${lane}~${owner}`);
    writeFileSync(choosing, '');
    const ticket = String(process.hrtime.bigint()).padStart(20, '0');
    const mine = `${ticket}~${lane}~${owner}`;
    renameSync(choosing, join(this.#directory, mine));
    while (!this.#mayHold(mine, lane)) await sleep(POLL_MS);
    return () => rmSync(join(this.#directory, mine), { force: true });
  }

  /** Do something in a lane, and give it back whatever happens. */
  async within<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(lane);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Remove what processes left that are gone; whoever waits does the same. */
  sweep(): void {
    this.#living();
  }

  /** Everyone who came before must be compatible; someone still choosing may turn out to have come before. */
  #mayHold(mine: string, lane: Lane): boolean {
    return this.#living().every(
      (other) =>
        other.file === mine ||
        (other.ticket !== CHOOSING && other.file > mine) ||
        (lane === 'shared' && other.lane === 'shared'),
    );
  }

  /** Whoever holds or waits and is still there. What the others left is removed. */
  #living(): Entry[] {
    return readdirSync(this.#directory).flatMap((file) => {
      const [ticket, lane, owner] = file.split('~');
      if (ticket === undefined || lane === undefined || owner === undefined) return [];
      const state = identityState(owner);
      if (state === 'alive') return [{ file, ticket, lane, owner }];
      // Of a hidden one it cannot be told: it neither blocks, nor loses its place among its own.
      if (state !== 'hidden') rmSync(join(this.#directory, file), { force: true });
      return [];
    });
  }
}
