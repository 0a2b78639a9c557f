import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const folder = join(import.meta.dirname, '..', 'helper');
const dist = join(folder, 'dist');
const flags = ['-O2', '-static', '-s', '-std=gnu11', '-Wall', '-Wextra', '-Werror', '-Wl,--build-id=none'];

type HelperArch = 'x64' | 'arm64';

/** Compilers tried in this order: `[architecture, command]`. A native compiler comes first. */
const compilers: readonly (readonly [HelperArch, string])[] = [
  [process.arch === 'arm64' ? 'arm64' : 'x64', 'gcc'],
  ['arm64', 'aarch64-linux-gnu-gcc'],
  ['x64', 'x86_64-linux-gnu-gcc'],
];

const remedies: Readonly<Record<HelperArch, string>> = {
  x64: 'install gcc and libc6-dev (on another machine: gcc-x86-64-linux-gnu and libc6-dev-amd64-cross)',
  arm64: 'install gcc-aarch64-linux-gnu and libc6-dev-arm64-cross',
};

/** Path of the built binary for one architecture. */
export const helperPath = (arch: string): string => join(dist, `lfq-helper-linux-${arch}`);

/** Everything the binaries depend on; a change of it builds again. */
const sourceHash = async (): Promise<string> => {
  const hash = createHash('sha256').update(flags.join(' '));
  for (const name of (await readdir(folder)).filter((file) => /\.[ch]$/.test(file)).sort()) {
    hash.update(`\0${name}\0`).update(await readFile(join(folder, name)));
  }
  return hash.digest('hex');
};

const compile = async (arch: HelperArch, compiler: string): Promise<void> => {
  const sources = (await readdir(folder)).filter((file) => file.endsWith('.c')).sort();
  const output = helperPath(arch);
  const unfinished = `${output}.${process.pid}`; // two builds at once must not run half a binary
  await execa(compiler, [...flags, '-o', unfinished, ...sources], { cwd: folder });
  await rename(unfinished, output);
};

const isCurrent = async (arch: HelperArch, hash: string): Promise<boolean> => {
  const stamp = await readFile(`${helperPath(arch)}.stamp`, 'utf8').catch(() => '');
  const binary = await readFile(helperPath(arch)).catch(() => undefined);
  return binary !== undefined && stamp === `${hash} ${createHash('sha256').update(binary).digest('hex')}`;
};

const isMissingCommand = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Builds one architecture with the first compiler there is. Returns why not, or undefined when it is built. */
const buildArch = async (arch: HelperArch, hash: string, say: (line: string) => void): Promise<string | undefined> => {
  for (const [, compiler] of compilers.filter(([builds]) => builds === arch)) {
    try {
      await compile(arch, compiler);
    } catch (error) {
      if (isMissingCommand(error)) continue;
      throw error;
    }
    const binary = createHash('sha256')
      .update(await readFile(helperPath(arch)))
      .digest('hex');
    await writeFile(`${helperPath(arch)}.stamp`, `${hash} ${binary}`);
    say(`helper: built linux-${arch} with ${compiler}`);
    return undefined;
  }
  await rm(helperPath(arch), { force: true });
  return `helper: no compiler for linux-${arch}; ${remedies[arch]}`;
};

/**
 * Builds the helper for both architectures where sources, flags or the binary changed.
 * Without `all`, only this machine's architecture must succeed; with it (prepack) both must.
 */
export const buildHelper = async (options: { all: boolean; say: (line: string) => void }): Promise<void> => {
  await mkdir(dist, { recursive: true });
  const hash = await sourceHash();
  for (const arch of ['x64', 'arm64'] as const) {
    if (await isCurrent(arch, hash)) continue;
    const problem = await buildArch(arch, hash, options.say);
    if (problem === undefined) continue;
    if (options.all || arch === process.arch) throw new Error(problem);
    options.say(`${problem} (left out: it is needed for publishing only)`);
  }
};

if (import.meta.main) {
  await buildHelper({ all: process.argv.includes('--all'), say: console.log });
}
