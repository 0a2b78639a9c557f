import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRuntime } from '../reference/runtime.ts';
import type { Faults } from './fault.ts';

/** The orphan outlives its parent by this, ms. */
const ORPHAN_MS = 100;

/**
 * A process whose parent ends before it becomes PID 1's, which in this image is Node: it waits for its own children
 * only, so that the orphan stays a zombie when it ends.
 */
const orphan = (): void => {
  const short = `setTimeout(() => undefined, ${ORPHAN_MS})`;
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', '${short}'], { detached: true, stdio: 'ignore' }).unref()`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', parent], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the parent of the orphan ended with ${status}: ${stderr}`);
};

const hasZombie = (): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));

/** Before readiness, so that every look at the running service shows it. */
const awaitZombie = (): void => {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!hasZombie()) Atomics.wait(cell, 0, 0, 10);
};

/** IMG-4. */
export const childFaults: Faults = {
  'leaves-zombies': (watcher) => {
    orphan();
    awaitZombie();
    return createRuntime(watcher);
  },
};
