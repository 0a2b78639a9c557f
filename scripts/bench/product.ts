import { rmSync } from 'node:fs';
import { mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { $ } from 'zx';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** The launcher of the packed product, unpacked once: what users run is compiled, a clone's sources are not. */
const launcher: Promise<string> = unpacked();

async function unpacked(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-packed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await $({ cwd: root, quiet: true })`npm pack --pack-destination ${folder}`;
  await $({ cwd: folder, quiet: true })`tar -xf ${(await readdir(folder))[0] ?? ''}`;
  await symlink(join(root, 'node_modules'), join(folder, 'package', 'node_modules'));
  return join(folder, 'package', 'bin', 'lf-qualify.js');
}

/** The image of every bench. */
export const reference = 'lf-qualify/reference:dev';

/** The first clause set: what a stop with nothing or one request in flight shows. */
export const firstClauses: readonly string[] = ['--only', 'IMG-1,IMG-2,IMG-3,IMG-5,IMG-6,SIG,STA,DLN-2,OBS'];

/** A finished call of the command line: its wall-clock interval on CLOCK_MONOTONIC, in ms. */
export interface Timed {
  readonly begin: number;
  readonly end: number;
  readonly exitCode: number | null;
}

/** CLOCK_MONOTONIC in ms, the axis of the histories' origins. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** Run the packed command line as a user does, and time it from outside. */
export async function product(...args: readonly string[]): Promise<Timed> {
  const program = await launcher;
  const begin = monotonicMs();
  const result = await $({ nothrow: true, quiet: true })`${process.execPath} ${program} ${args}`;
  return { begin, end: monotonicMs(), exitCode: result.exitCode };
}
