import { existsSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { askedForAt, volumesAt } from './asked-for.suite.ts';
import { BOX_IMAGE, containerSetup } from './container-setup.suite.ts';
import { dockerDriver } from './docker.ts';
import { driverContract, HELPER_IMAGE } from './driver-contract.suite.ts';
import { sidecarContract } from './driver-sidecar.suite.ts';
import { podmanDriver } from './podman.ts';
import { rootlessSocket } from './rootless-podman.suite.ts';

let socket: string;
beforeAll(async () => {
  socket = await rootlessSocket();
  // Test images are built for the engines of root only.
  const docker = dockerDriver('unix:///var/run/docker.sock');
  const rootless = podmanDriver(`unix://${socket}`);
  for (const image of [HELPER_IMAGE, BOX_IMAGE]) {
    const { stream } = await docker.saveImage(image);
    await rootless.loadImage(stream, () => undefined);
  }
  for (const driver of [docker, rootless]) driver.close();
});

it('a rootless Podman is on this host, is rootless, and is not the one of root', async () => {
  const [rootless, rootful] = [podmanDriver(`unix://${socket}`), podmanDriver('unix:///run/podman/podman.sock')];
  const facts = await rootless.facts();
  expect(facts).toMatchObject({ rootless: true, local: true, clockOffsetMs: 0, clockErrorMs: 0 });
  expect(facts.id).not.toBe((await rootful.facts()).id);
  for (const driver of [rootless, rootful]) driver.close();
});

const delegated = existsSync('/sys/fs/cgroup/cgroup.controllers');

const title = 'podman rootless';
const open = () => podmanDriver(`unix://${socket}`);

driverContract({
  title,
  open,
  askedFor: (id) => askedForAt(socket, id),
  // Podman 4.3 never sets OOMKilled (engines.md section 5).
  tellsOom: false,
  tellsSignal: false,
  ...(delegated ? {} : { noMemoryLimit: 'a rootless Podman has no memory limits with cgroups v1' }),
});
sidecarContract(title, open);
containerSetup({
  title,
  open,
  volumesOf: (id) => volumesAt(socket).volumesOf(id),
  hasVolume: (name) => volumesAt(socket).hasVolume(name),
});
