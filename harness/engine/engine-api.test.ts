import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { dockerDriver } from './docker.ts';
import type { EngineDriver } from './driver.ts';
import type { Answers, EngineServer } from './engine-server.suite.ts';
import { dockerAnswers, engineServer, podmanAnswers } from './engine-server.suite.ts';
import { podmanDriver } from './podman.ts';

const open: (EngineServer | EngineDriver)[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(answers: Answers, at?: string): Promise<EngineServer> {
  const server = await engineServer(answers, at);
  open.push(server);
  return server;
}

function track(driver: EngineDriver): EngineDriver {
  open.push(driver);
  return driver;
}

describe('a driver over the engine API', () => {
  it('reads facts, and calls an engine with another kernel remote, with the error of its clock', async () => {
    const { address } = await serve(dockerAnswers());
    const facts = await track(dockerDriver(address)).facts();
    expect(facts).toMatchObject({
      name: 'docker',
      version: '20.10.24',
      address,
      id: 'D1',
      rootless: true,
      local: false,
    });
    expect(facts.cgroupVersion).toBe('1');
    expect('runtime' in facts).toBe(false);
    const clockMs = Date.parse('2026-11-30T13:15:41.500Z') - Date.now();
    expect(Math.abs(facts.clockOffsetMs - clockMs)).toBeLessThan(60_000);
    expect(facts.clockErrorMs).toBeGreaterThanOrEqual(0);
  });

  it('gives Podman one identity, though its ID changes with each call', async () => {
    const { address } = await serve(podmanAnswers());
    expect((await track(podmanDriver(address)).facts()).id).toBe('podman:host:/var/lib/containers/storage');
  });

  it.each([
    ['docker', dockerDriver, podmanAnswers(), /is not Docker: it calls itself "Podman Engine"; point DOCKER_HOST/],
    ['podman', podmanDriver, dockerAnswers(), /is not Podman: it calls itself "Engine"; point CONTAINER_HOST/],
  ])('refuses to be the %s driver of the other engine', async (_, create, answers, message) => {
    const { address } = await serve(answers);
    const driver = track(create(address));
    await expect(driver.facts()).rejects.toThrow(message);
    await expect(driver.owned()).rejects.toMatchObject({ name: 'EngineError', lost: false });
  });

  it('says that the engine is lost when the socket is not there', async () => {
    const driver = track(dockerDriver('unix:///nonexistent/engine.sock'));
    await expect(driver.facts()).rejects.toMatchObject({ name: 'EngineError', lost: true });
    await expect(driver.facts()).rejects.toThrow('docker at unix:///nonexistent/engine.sock: version failed');
  });

  it('says that the engine is lost when the connection breaks in a call', async () => {
    const { address } = await serve({ ...dockerAnswers(), '/info': (cut: () => void) => cut() });
    const failed = track(dockerDriver(address)).facts();
    await expect(failed).rejects.toMatchObject({ lost: true });
    await expect(failed).rejects.toThrow(`docker at ${address}: info failed`);
  });

  it('says that the engine is lost when it goes, and works again when it is back', async () => {
    const first = await engineServer(dockerAnswers());
    const driver = track(dockerDriver(first.address));
    await driver.facts();
    await first.close();
    await expect(driver.facts()).rejects.toMatchObject({ lost: true });
    await mkdir(dirname(first.socketPath), { recursive: true });
    await serve(dockerAnswers('back'), first.socketPath);
    expect((await driver.facts()).id).toBe('back');
    await rm(dirname(first.socketPath), { recursive: true });
  });

  it('takes no other engine from DOCKER_HOST than the one it was given', async () => {
    const { address } = await serve(dockerAnswers('mine'));
    const before = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'tcp://127.0.0.1:1';
    try {
      expect((await track(dockerDriver(address)).facts()).id).toBe('mine');
    } finally {
      if (before === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = before;
    }
  });

  it('reports the failure that a pull hides in its progress', async () => {
    const { address } = await serve({ ...dockerAnswers(), '/images/create': { error: 'manifest unknown' } });
    const failed = track(dockerDriver(address)).pullImage('app:9', () => undefined);
    await expect(failed).rejects.toThrow(`docker at ${address}: pull image app:9 failed: manifest unknown`);
  });

  it('finds the images that carry the name of a run', async () => {
    const images = [
      { Id: 'sha256:1', RepoTags: ['localhost/lf-qualify-run/r7:carried_boot-1.42.9', 'app:1'] },
      { Id: 'sha256:2', RepoTags: null },
    ];
    const answers = { '/containers/json': [], '/networks': [], '/images/json': images };
    const { address } = await serve({ ...podmanAnswers(), ...answers });
    const name = 'localhost/lf-qualify-run/r7:carried_boot-1.42.9';
    expect(await track(podmanDriver(address)).owned()).toEqual([
      { type: 'image', id: 'sha256:1', name, run: 'r7', owner: 'boot-1:42:9' },
    ]);
  });
});
