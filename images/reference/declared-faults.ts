import { Worker } from 'node:worker_threads';
import type { Participant } from './clean-up.ts';
import type { Clock } from './clock.ts';
import type { StartUpPhase } from './start-up.ts';

/** Far beyond every bound of a start that is aborted, ms. */
const STUCK_MS = 20_000;

const never = new Promise<never>(() => undefined);

/** A thread that is blocked for good and that nobody can ask to leave. */
const blockedThread = (): Worker =>
  new Worker('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);', { eval: true });

/**
 * What `FAULT_CLEANUP` asks for, declared in the image's label: defective clean-up that a correct supervisor withstands.
 * `slow:800` takes 800 ms whatever is left of the deadline, `stuck` never ends, `thread` waits for a thread that never
 * ends.
 * @throws {Error} for any other value
 */
export const declaredFaults = (env: NodeJS.ProcessEnv, clock: Clock): readonly Participant[] => {
  const fault = env['FAULT_CLEANUP'];
  if (fault === undefined || fault === '') return [];
  const name = `declared fault ${fault}`;
  const slowMs = /^slow:(\d+)$/.exec(fault)?.[1];
  if (slowMs !== undefined) {
    return [{ name, shutdown: () => new Promise((resolve) => clock.after(Number(slowMs), resolve)) }];
  }
  if (fault === 'stuck') return [{ name, shutdown: () => never }];
  if (fault !== 'thread') throw new Error(`FAULT_CLEANUP must be slow:<ms>, stuck or thread, got ${fault}`);
  const thread = blockedThread();
  return [{ name, shutdown: () => new Promise((resolve) => thread.once('exit', () => resolve())) }];
};

/**
 * What `FAULT_STARTUP=stuck` asks for: a resource of the start-up that takes 20 s to give back and cannot be hurried, which
 * the abort of a correct start does not wait for (STA-3).
 * @throws {Error} for any other value
 */
export const stuckStartUp = (env: NodeJS.ProcessEnv, clock: Clock): readonly StartUpPhase[] => {
  const fault = env['FAULT_STARTUP'];
  if (fault === undefined || fault === '') return [];
  if (fault !== 'stuck') throw new Error(`FAULT_STARTUP must be stuck, got ${fault}`);
  const undo = (): Promise<void> => new Promise((resolve) => clock.after(STUCK_MS, resolve));
  return [{ name: `declared fault ${fault}`, run: async () => undefined, undo }];
};
