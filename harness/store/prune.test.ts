import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prune } from './prune.ts';
import { RunDirectory } from './run-directory.ts';
import { plan } from './testing/literal-history.ts';

const ids = ['20260802-101112-aaaa', '20260802-101113-bbbb', '20260803-000000-cccc', '20260804-000000-dddd'] as const;
const [first, second, third, fourth] = ids;
const nobody = (): boolean => false;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lf-qualify-prune-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

async function runs(names: readonly string[], owner?: string): Promise<void> {
  for (const name of names) await (await RunDirectory.create(root, name, owner)).writePlan(plan([]));
}

describe('old runs', () => {
  it('are removed by age of the run, whatever order they were made in', async () => {
    await runs([third, first, fourth, second]);
    expect(await prune(root, 3, nobody)).toEqual({ removed: [first], failures: [] });
    expect(await prune(root, 3, nobody)).toEqual({ removed: [], failures: [] });
    expect((await readdir(root)).toSorted()).toEqual([second, third, fourth, 'latest']);
  });

  it('stay when latest points to them', async () => {
    await runs([second, third, first]);
    expect(await prune(root, 1, nobody)).toMatchObject({ removed: [second] });
    expect((await readdir(root)).toSorted()).toEqual([first, third, 'latest']);
  });

  it.each([
    ['a folder of another name', async () => void (await mkdir(join(root, 'published')))],
    ['a folder named like a run, without a plan', async () => void (await mkdir(join(root, '20250101-000000-mine')))],
    ['a file named like a run', async () => await writeFile(join(root, '20250101-000000-file'), '')],
    [
      'a link to a run elsewhere',
      async () => {
        await mkdir(join(root, 'elsewhere'));
        await writeFile(join(root, 'elsewhere', 'plan.json'), '{}');
        await symlink('elsewhere', join(root, '20250101-000000-link'));
      },
    ],
    [
      'a folder with a plan, not named like a run',
      async () => {
        await mkdir(join(root, '2025-copy'));
        await writeFile(join(root, '2025-copy', 'plan.json'), '{}');
      },
    ],
  ])('are told from %s', async (_, make) => {
    await make();
    const before = await readdir(root);
    await runs([first, second]);
    expect(await prune(root, 1, nobody)).toMatchObject({ removed: [first] });
    expect((await readdir(root)).toSorted()).toEqual([...before, second, 'latest'].toSorted());
  });

  it('stay while somebody may still write into them, and go with one that died before it had a plan', async () => {
    await RunDirectory.create(root, first, 'alive');
    await RunDirectory.create(root, second, 'dead');
    await runs([third]);
    expect(await prune(root, 1, (owner) => owner === 'alive')).toMatchObject({ removed: [second] });
    expect((await readdir(root)).toSorted()).toEqual([first, third, 'latest']);
  });

  it('are none where there is no folder', async () => {
    expect(await prune(join(root, 'none'), 1, nobody)).toEqual({ removed: [], failures: [] });
  });

  it.each([0, -1, 1.5, Number.NaN])('are not removed for a bad number: %d', async (keep) => {
    await expect(prune(root, keep, nobody)).rejects.toThrow(RangeError);
  });
});
