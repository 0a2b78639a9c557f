import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dockerContext } from './docker-contexts.ts';

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lfq-contexts-'));
  env = { DOCKER_CONFIG: folder };
});
afterEach(() => rm(folder, { recursive: true }));

const current = async (content: unknown) => {
  await writeFile(join(folder, 'config.json'), typeof content === 'string' ? content : JSON.stringify(content));
};
const idOf = (name: string) => createHash('sha256').update(name).digest('hex');

/** As `docker context create` writes it. */
async function context(name: string, docker: unknown, pem: readonly string[] = []): Promise<void> {
  const meta = join(folder, 'contexts', 'meta', idOf(name));
  await mkdir(meta, { recursive: true });
  await writeFile(join(meta, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker } }));
  const tls = join(folder, 'contexts', 'tls', idOf(name), 'docker');
  if (pem.length > 0) await mkdir(tls, { recursive: true });
  for (const file of pem) await writeFile(join(tls, `${file}.pem`), file);
}

describe('dockerContext', () => {
  it('is none where nothing names one, and for the one named default', async () => {
    expect(await dockerContext(env)).toBeUndefined();
    await current({});
    expect(await dockerContext(env)).toBeUndefined();
    await current({ currentContext: 'default' });
    expect(await dockerContext(env)).toBeUndefined();
  });

  it('lets DOCKER_HOST go before DOCKER_CONTEXT, and that before the current one', async () => {
    await context('one', { Host: 'tcp://one:2375' });
    await context('two', { Host: 'ssh://two' });
    await current({ currentContext: 'one' });
    expect(await dockerContext(env)).toMatchObject({
      address: 'tcp://one:2375',
      origin: 'docker context one',
      chosen: true,
    });
    expect(await dockerContext({ ...env, DOCKER_CONTEXT: 'two' })).toMatchObject({ address: 'ssh://two' });
    expect(await dockerContext({ ...env, DOCKER_CONTEXT: 'default' })).toBeUndefined();
    expect(await dockerContext({ ...env, DOCKER_CONTEXT: 'two', DOCKER_HOST: 'unix:///x' })).toBeUndefined();
  });

  it.each([
    ['none', {}, [], undefined],
    [
      'its own files',
      {},
      ['ca', 'cert', 'key'],
      { ca: Buffer.from('ca'), cert: Buffer.from('cert'), key: Buffer.from('key'), verify: true },
    ],
    ['only an authority', {}, ['ca'], { ca: Buffer.from('ca'), verify: true }],
    ['no verification', { SkipTLSVerify: true }, [], { verify: false }],
  ])('has the TLS of the context: %s', async (_, more, pem, tls) => {
    await context('one', { Host: 'tcp://one:2376', ...more }, pem);
    const place = await dockerContext({ ...env, DOCKER_CONTEXT: 'one' });
    expect(await place?.access?.()).toEqual(tls === undefined ? {} : { tls });
  });

  it('that is broken is a failure which names the file and the remedy', async () => {
    await current({ currentContext: 'gone' });
    const meta = join(folder, 'contexts', 'meta', idOf('gone'), 'meta.json');
    expect(await dockerContext(env)).toMatchObject({
      origin: 'docker context gone',
      failure: expect.stringContaining(meta),
    });
    expect((await dockerContext(env))?.failure).toMatch(/no such file.*docker context use/);
    await context('gone', {});
    expect((await dockerContext(env))?.failure).toContain(`${meta} names no Host`);
    await current('{');
    expect((await dockerContext(env))?.failure).toMatch(/config\.json cannot be read .*DOCKER_HOST/);
  });
});
