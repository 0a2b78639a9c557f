import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processIdentity } from '../run/owner.ts';
import { RunDirectory } from '../store/run-directory.ts';
import { forgetOldRuns } from './keep-runs.ts';
import { parseRunOptions } from './options.ts';

const alive = processIdentity();
const dead = alive.replace(/:\d+(?=:\d+$)/, ':1');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lf-qualify-keep-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

describe('old runs', () => {
  it('that a process still writes, here or on another host, stay; those of dead ones go, and it is said', async () => {
    const owners = { a: alive, b: dead, c: 'another-boot:1:1:1', d: dead, e: alive };
    for (const [letter, owner] of Object.entries(owners))
      await RunDirectory.create(root, `20260101-000000-${letter.repeat(4)}`, owner);
    const said: string[] = [];
    await forgetOldRuns(root, 1, (line) => said.push(line));
    expect((await readdir(root)).toSorted()).toEqual([
      '20260101-000000-aaaa',
      '20260101-000000-cccc',
      '20260101-000000-eeee',
      'latest',
    ]);
    expect(said).toEqual([`removed 2 old runs from ${root}: --keep-runs 1 keeps the newest ones`]);
    await forgetOldRuns(root, 1, (line) => said.push(line));
    expect(said).toHaveLength(1);
  });
});

describe('--keep-runs', () => {
  it.each([
    [{}, 20],
    [{ keepRuns: '1' }, 1],
    [{ keepRuns: 'all' }, undefined],
  ])('%j keeps %s', (raw, keep) => {
    expect(parseRunOptions(['x:1'], raw, {}).keepRuns).toBe(keep);
  });
});
