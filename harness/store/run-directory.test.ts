import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../model/errors.ts';
import { readRun } from './read-run.ts';
import { RunDirectory } from './run-directory.ts';
import { runId } from './run-id.ts';
import { cellRef, header, observations, plan } from './testing/literal-history.ts';

const first = '20260802-101112-aaaa';
const second = '20260802-101113-bbbb';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lf-qualify-store-'));
});
afterEach(async () => {
  await rm(root, { recursive: true });
});

describe('runId', () => {
  it('sorts by time and holds the random part', () => {
    expect(runId(new Date('2026-08-02T10:11:12.999Z'), 'a1b2c3')).toBe('20260802-101112-a1b2c3');
  });
  it.each(['', 'abc', 'ABCD', '../x', 'a'.repeat(17)])('refuses %j as the random part', (random) => {
    expect(() => runId(new Date(0), random)).toThrow(RangeError);
  });
});

describe('RunDirectory', () => {
  it('is new, and the latest', async () => {
    await RunDirectory.create(root, first);
    await RunDirectory.create(root, second);
    expect(await readlink(join(root, 'latest'))).toBe(second);
    await expect(RunDirectory.create(root, second)).rejects.toThrow(StoreError);
    await expect(RunDirectory.create(root, '../escape')).rejects.toThrow(
      'run id "../escape": want one that runId made',
    );
    expect((await readdir(root)).sort()).toEqual([first, second, 'latest']);
  });

  it('tells who writes it until it is released', async () => {
    const run = await RunDirectory.create(root, first, 'boot:1:2:3');
    expect(await readFile(join(run.path, '.owner'), 'utf8')).toBe('boot:1:2:3');
    await run.release();
    await run.release();
    expect(await readdir(run.path)).toEqual([]);
  });

  it('writes a report whole, over an older one, and leaves nothing beside it', async () => {
    const run = await RunDirectory.create(root, first);
    await run.writeReport('junit.xml', 'old');
    expect(await run.writeReport('junit.xml', 'new')).toBe(join(root, first, 'junit.xml'));
    expect(await readFile(join(run.path, 'junit.xml'), 'utf8')).toBe('new');
    expect(await readdir(run.path)).toEqual(['junit.xml']);
    for (const name of ['../x', 'a/b', '', '..', '.hidden'])
      await expect(run.writeReport(name, '')).rejects.toThrow(StoreError);
    await mkdir(join(run.path, 'report.txt'));
    await expect(run.writeReport('report.txt', '')).rejects.toThrow(StoreError);
    expect((await readdir(run.path)).sort()).toEqual(['junit.xml', 'report.txt']);
  });

  it('opens a history only where the cell’s own path leads', async () => {
    const run = await RunDirectory.create(root, first);
    const cell = cellRef({ path: '../../elsewhere' });
    expect(() => run.openHistory(cell, header(cell))).toThrow(StoreError);
  });
});

describe('readRun', () => {
  it('finds every planned and every repeated history; what is missing or broken is an error in its place', async () => {
    const run = await RunDirectory.create(root, first);
    const good = cellRef();
    const repeated = cellRef({ sample: 2 });
    const missing = cellRef({ scenario: 'image/engine-stop' });
    const broken = cellRef({ scenario: 'instrument/self-test' });
    const given = plan([good, missing], [broken]);
    await run.writePlan(given);
    for (const cell of [good, repeated]) {
      const writer = run.openHistory(cell, header(cell));
      writer.append(observations);
      writer.close();
    }
    await mkdir(join(run.path, broken.path), { recursive: true });
    await writeFile(join(run.path, broken.path, 'history.jsonl'), 'garbage\n');
    const { plan: read, histories } = await readRun(run.path);
    expect(read).toEqual(given);
    expect([...histories.keys()]).toEqual([broken.path, good.path, missing.path, repeated.path]);
    expect(histories.get(good.path)).toMatchObject({ header: header(good), complete: true });
    expect(histories.get(repeated.path)).toMatchObject({ complete: true });
    expect(histories.get(missing.path)).toEqual(
      new StoreError(`history ${missing.path}/history.jsonl: planned, but never written`),
    );
    expect((histories.get(broken.path) as StoreError).message).toContain(
      'history.jsonl, line 1: not a JSON object: "garbage"',
    );
  });

  it.each([
    ['missing', undefined, 'no such file; name a directory that a run has written'],
    ['not JSON', '{', 'JSON'],
    ['null', 'null', 'format undefined is not a format number'],
    ['newer', '{"format":2}', 'format 2 is newer than the 1 this version reads'],
    ['without its lists', '{"format":1}', 'engines is missing or not a list'],
  ])('a plan that is %s is a StoreError', async (_, text, message) => {
    const run = await RunDirectory.create(root, first);
    if (text !== undefined) await writeFile(join(run.path, 'plan.json'), text);
    await expect(readRun(run.path)).rejects.toThrow(StoreError);
    await expect(readRun(run.path)).rejects.toThrow(message);
  });
});
