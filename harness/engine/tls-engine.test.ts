import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { otherCertificate } from '../wire/testing/certificate.ts';
import type { Discovery } from './discover.ts';
import { discoverEngines } from './discover.ts';
import type { EngineServer } from './engine-server.suite.ts';
import { dockerAnswers, engineServer } from './engine-server.suite.ts';
import type { RemoteEngine } from './remote-engine.suite.ts';
import {
  engineOverTcp,
  engineOverTls,
  loopbackCertificate,
  loopbackKey,
  writeCertificates,
} from './remote-engine.suite.ts';

let folder: string;
let engine: EngineServer;
let remote: RemoteEngine;
const open: Discovery[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lfq-tls-'));
  engine = await engineServer(dockerAnswers());
  remote = await engineOverTls(engine.socketPath);
});
afterEach(async () => {
  for (const discovery of open.splice(0)) await discovery.stop();
  await remote.close();
  await engine.close();
  await rm(folder, { recursive: true });
});

async function discover(env: NodeJS.ProcessEnv): Promise<Discovery> {
  const discovery = await discoverEngines({
    env: { DOCKER_HOST: remote.address, XDG_CONFIG_HOME: '/nonexistent', ...env },
    wanted: ['docker'],
    wellKnown: [],
  });
  open.push(discovery);
  return discovery;
}

describe('an engine behind TLS', () => {
  it('is reached with the files of DOCKER_CERT_PATH, at its own address', async () => {
    await writeCertificates(folder);
    const { found } = await discover({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder });
    expect(found.map(({ facts }) => facts)).toMatchObject([{ address: remote.address, id: 'D1', local: false }]);
  });

  it('is reached with the files of Docker’s configuration where no other folder is named', async () => {
    await writeCertificates(folder);
    const { found } = await discover({ DOCKER_TLS_VERIFY: '1', DOCKER_CONFIG: folder });
    expect(found).toHaveLength(1);
  });

  it.each([
    ['files that are not there', {}, /ca\.pem, cert\.pem, key\.pem are not in .*: set DOCKER_CERT_PATH/],
    [
      'an authority that did not sign it',
      { 'ca.pem': otherCertificate, 'cert.pem': loopbackCertificate, 'key.pem': loopbackKey },
      /self-signed certificate/,
    ],
  ])('is not reached with %s', async (_, files, reason) => {
    const certificates = join(folder, 'certificates');
    await mkdir(certificates);
    await writeCertificates(certificates, files as Record<string, string>);
    const { found, candidates } = await discover({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates });
    expect(found).toEqual([]);
    expect(candidates[0]?.failure).toMatch(reason);
  });

  it('is not reached without TLS, nor one without TLS with it', async () => {
    expect((await discover({})).found).toEqual([]);
    await writeCertificates(folder);
    const plain = await engineOverTcp(engine.socketPath);
    const { found } = await discover({ DOCKER_HOST: plain.address, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder });
    expect(found).toEqual([]);
    await plain.close();
  });

  it('leaves no forwarder behind when it ends', async () => {
    await writeCertificates(folder);
    const { found, stop } = await discover({ DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder });
    const endpoint = found[0]?.facts.endpoint ?? '';
    await stop();
    await expect(
      discoverEngines({ env: { DOCKER_HOST: endpoint }, wanted: ['docker'], wellKnown: [] }),
    ).resolves.toMatchObject({
      found: [],
      candidates: [{ failure: expect.stringContaining('no such socket') }],
    });
  });
});

it('a plain engine is spoken to without TLS also while DOCKER_TLS_VERIFY and its files are meant for another', async () => {
  const kept = { ...process.env };
  Object.assign(process.env, {
    DOCKER_HOST: 'tcp://127.0.0.1:1',
    DOCKER_TLS_VERIFY: '1',
    DOCKER_CERT_PATH: '/nonexistent',
  });
  try {
    const plain = await engineOverTcp(engine.socketPath);
    const discovery = await discoverEngines({ env: { CONTAINER_HOST: plain.address }, wellKnown: [] });
    expect(discovery.found.map(({ facts }) => facts.address)).toEqual([plain.address]);
    expect(process.env['DOCKER_CERT_PATH']).toBe('/nonexistent');
    await discovery.stop();
    await plain.close();
  } finally {
    process.env = kept;
  }
});
