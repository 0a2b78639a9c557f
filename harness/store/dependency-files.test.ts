import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../model/errors.ts';
import { dependencyLogPath, openDependencyLog, readDependencies, writeDependencies } from './dependency-files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lfq-dependencies-'));
});
afterEach(async () => await rm(directory, { recursive: true, force: true }));

const db = { alias: 'db', reference: 'db:1', digest: 'sha256:1', readyAfterMs: 12, log: 'x.log' };

describe('the dependencies of a run', () => {
  it('are read as they were written, over all engines', async () => {
    const [docker, podman] = ['docker', 'podman'].map((engine) => ({ engine, image: 'app:1', dependencies: [db] }));
    if (docker) await writeDependencies(directory, 'docker', [docker]);
    if (podman) await writeDependencies(directory, 'podman', [podman]);
    expect(await readDependencies(directory)).toEqual([docker, podman]);
  });

  it('are none where nothing was written', async () => {
    expect(await readDependencies(directory)).toEqual([]);
  });

  it('that cannot be read are an error that names the file', async () => {
    await writeDependencies(directory, 'docker', []);
    await writeFile(join(directory, 'engines', 'docker', 'dependencies.json'), '{');
    await expect(readDependencies(directory)).rejects.toBeInstanceOf(StoreError);
    await expect(readDependencies(directory)).rejects.toThrow('dependencies.json');
  });

  it('write their output below the run, whatever their names are', async () => {
    const path = dependencyLogPath('docker', '../../registry.example/app:1', '../db');
    expect(path).toMatch(/^engines\/docker\/dependencies\/[^/]+\/[^/]+\.log$/);
    expect(path.split('/')).not.toContain('..');
    const log = openDependencyLog(directory, path);
    log.append('one\n');
    log.close();
    expect(await readFile(join(directory, path), 'utf8')).toBe('one\n');
  });
});
