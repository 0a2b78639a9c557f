import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { $ } from 'zx';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));
const launcher = join(root, 'bin', 'lf-qualify.js');

/** The image of every bench. */
export const reference = 'lf-qualify/reference:dev';

/** A finished call of the command line: its wall-clock interval on CLOCK_MONOTONIC, in ms. */
export interface Timed {
  readonly begin: number;
  readonly end: number;
  readonly exitCode: number | null;
}

/** CLOCK_MONOTONIC in ms, the axis of the histories' origins. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Run the command line as a user does, and time it from outside. */
export async function product(...args: readonly string[]): Promise<Timed> {
  const begin = monotonicMs();
  const result = await $({ nothrow: true, quiet: true })`${process.execPath} ${launcher} ${args}`;
  return { begin, end: monotonicMs(), exitCode: result.exitCode };
}
