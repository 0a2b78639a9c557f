import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../model/errors.ts';
import type { ReportedDependency } from '../model/report.ts';
import { BatchedFile } from './batched-file.ts';
import { slug } from './cell-path.ts';
import { writeRunFile } from './run-files.ts';

const folder = 'engines';
const listFile = 'dependencies.json';

/** The dependencies of one image on one engine, as they came up. */
export interface StoredDependencies {
  readonly engine: string;
  readonly image: string;
  readonly dependencies: readonly ReportedDependency[];
}

/** Where the output of a dependency lies, relative to the run directory. */
export function dependencyLogPath(engine: string, image: string, alias: string): string {
  return [folder, slug(engine), 'dependencies', slug(image), `${slug(alias)}.log`].join('/');
}

/** Opens that file. Throws StoreError where it cannot be made. */
export function openDependencyLog(directory: string, path: string): BatchedFile {
  try {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
  } catch (error) {
    throw new StoreError(`cannot create ${path}: ${(error as Error).message}`, { cause: error });
  }
  return new BatchedFile(join(directory, path));
}

/** Writes what came up on one engine, whole or not at all. */
export async function writeDependencies(
  directory: string,
  engine: string,
  all: readonly StoredDependencies[],
): Promise<void> {
  const into = join(directory, folder, slug(engine));
  await mkdir(into, { recursive: true });
  await writeRunFile(into, listFile, `${JSON.stringify(all, null, 2)}\n`);
}

/** What came up on every engine of a run; nothing where no image has a dependency. Throws StoreError for a broken file. */
export async function readDependencies(directory: string): Promise<readonly StoredDependencies[]> {
  const engines = await readdir(join(directory, folder)).catch(() => []);
  const each = await Promise.all(
    engines.map(async (engine) => await readList(join(directory, folder, engine, listFile))),
  );
  return each.flat();
}

async function readList(path: string): Promise<readonly StoredDependencies[]> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as StoredDependencies[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new StoreError(`cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
}
