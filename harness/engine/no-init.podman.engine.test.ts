import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireImage } from './driver-contract.suite.ts';
import type { ContainerSpec, EngineDriver } from './driver.ts';
import { podmanDriver } from './podman.ts';
import type { PodmanService } from './podman-service.ts';
import { startPodmanService } from './podman-service.ts';

let folder: string;
let service: PodmanService;
let driver: EngineDriver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lfq-no-init-'));
  const configuration = join(folder, 'containers.conf');
  const usual = await readFile(process.env['CONTAINERS_CONF'] ?? '/nonexistent', 'utf8').catch(() => '');
  const without = 'init_path = "/nonexistent/init"';
  await writeFile(
    configuration,
    /^\[engine\]$/m.test(usual)
      ? usual.replace(/^\[engine\]$/m, `[engine]\n${without}`)
      : `${usual}\n[engine]\n${without}\n`,
  );
  service = await startPodmanService({ ...process.env, CONTAINERS_CONF: configuration });
  driver = podmanDriver(service.address);
});
afterAll(async () => {
  driver?.close();
  await service?.stop();
  await rm(folder, { recursive: true });
});

it.each(['start', 'hold'] as const)(
  '%s tells an engine without an init from an image that does not start',
  async (call) => {
    const run = `no-init-${randomUUID().slice(0, 8)}`;
    const image = await requireImage(driver);
    const spec: ContainerSpec = { name: `lfq-${run}`, image, env: {}, ownership: { run, owner: 'contract:1:1' } };
    const bad = { ...spec, entrypoint: ['/nonexistent'] };
    await expect(driver[call]({ ...spec, command: ['hold'], init: true })).rejects.toMatchObject({
      name: 'EngineError',
      lost: false,
      missing: 'init',
      message: expect.stringMatching(/container-init binary not found/),
    });
    const failed = await driver[call](bad).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'EngineError', lost: false, missing: undefined });
    expect((await driver.owned()).filter((object) => object.run === run)).toEqual([]);
  },
);
