import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigCache } from './config-cache.ts';

const { signal: live } = new AbortController();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the configuration cache', () => {
  let root: string;
  let folder: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lf-qualify-cache-'));
    folder = join(root, 'cache');
  });
  afterEach(async () => await rm(root, { recursive: true, force: true }));

  const cache = (): ConfigCache => new ConfigCache(folder);
  const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

  it('makes its folder and writes a file whole, with nothing beside it', async () => {
    await cache().write('values.yml', bytes('a: 1\n'), live);
    expect(await readdir(folder)).toEqual(['values.yml']);
    expect(await text('values.yml')).toBe('a: 1\n');
  });

  it('takes the place of what was there', async () => {
    await cache().write('values.yml', bytes('a: 1\nb: 2\n'), live);
    await cache().write('values.yml', bytes('a: 3\n'), live);
    expect(await readdir(folder)).toEqual(['values.yml']);
    expect(await text('values.yml')).toBe('a: 3\n');
  });

  it('makes the folder that a name has in it', async () => {
    await cache().write('certs/ca.pem', bytes('pem'), live);
    expect(await readdir(join(folder, 'certs'))).toEqual(['ca.pem']);
  });

  it('leaves what was there and nothing else where it is cancelled', async () => {
    await cache().write('values.yml', bytes('a: 1\n'), live);
    await expect(cache().write('values.yml', bytes('a: 3\n'), AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await readdir(folder)).toEqual(['values.yml']);
    expect(await text('values.yml')).toBe('a: 1\n');
  });

  it('leaves nothing where nothing was, cancelled in the middle of the writing', async () => {
    const cancel = new AbortController();
    const written = cache().write('values.yml', new Uint8Array(1 << 20), cancel.signal);
    cancel.abort();
    await expect(written).rejects.toThrow('aborted');
    expect(await readdir(folder)).toEqual([]);
  });

  it('removes what it staged where the name is taken by a folder', async () => {
    await mkdir(join(folder, 'values.yml'), { recursive: true });
    await writeFile(join(folder, 'values.yml', 'in-the-way'), '');
    await expect(cache().write('values.yml', bytes('a: 1\n'), live)).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['values.yml']);
  });

  it.each(['../outside.yml', 'certs/../../outside.yml', '.', ''])('refuses %j', async (name) => {
    await expect(cache().write(name, bytes('x'), live)).rejects.toThrow('leads out of the configuration cache');
    expect(await readdir(root)).toEqual([]);
  });

  it('tells whether it has a file', async () => {
    expect(await cache().has('values.yml')).toBe(false);
    await cache().write('values.yml', bytes('a: 1\n'), live);
    expect(await cache().has('values.yml')).toBe(true);
  });
});
