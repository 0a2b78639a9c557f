import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** Puts at `target` the node_modules that package.json and package-lock.json of an image's folder name; no script runs. */
export const provideNodeModules = async (imageFolder: string, target: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-npm-'));
  try {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(imageFolder, file), join(folder, file));
    await execa('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
    await cp(join(folder, 'node_modules'), target, { recursive: true, verbatimSymlinks: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
