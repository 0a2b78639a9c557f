import { describe, expect, it } from 'vitest';
import { snapshotReader } from './snapshot.ts';

const begin = { ev: 'snapshot', mono: '1', rt: '2' };
const end = { ev: 'end', mono: '3', rt: '4' };
const process = (nsPid: number) => ({ ev: 'process', pid: 4000 + nsPid, nsPid, ppid: 1, comm: 'app', args: ['/app'] });
const lines = (...said: readonly object[]): string => said.map((line) => `${JSON.stringify(line)}\n`).join('');
const listOf = async (text: string) => await snapshotReader(async () => text).list();

describe('a snapshot of the processes', () => {
  it('is read line by line, in the order of the container’s own numbers', async () => {
    const { ev: _, ...first } = process(1);
    const list = await listOf(lines(begin, process(12), process(1), process(3), end));
    expect(list.map(({ nsPid }) => nsPid)).toEqual([1, 3, 12]);
    expect(list[0]).toEqual(first);
  });

  it.each([
    ['has ended', lines(end)],
    ['ended before the first look', lines(begin, end)],
  ])('of a target that %s is empty', async (_, text) => {
    expect(await listOf(text)).toEqual([]);
  });

  it.each([
    ['in front of its last line', lines(begin, process(1))],
    ['within a line', `${lines(begin)}{"ev":"proc`],
    ['within the last line', lines(begin, process(1), end).slice(0, -1)],
    ['before anything', ''],
  ])('that broke off %s is an error: it might lack processes', async (_, text) => {
    await expect(listOf(text)).rejects.toThrow('the snapshot of the processes broke off');
  });

  it('that does not come is an error', async () => {
    const reader = snapshotReader(() => new Promise(() => undefined), 1);
    await expect(reader.list()).rejects.toThrow('no snapshot of the processes came');
  });

  it('that fails is that error', async () => {
    const reader = snapshotReader(async () => Promise.reject(new Error('lost')));
    await expect(reader.list()).rejects.toThrow('lost');
  });
});
