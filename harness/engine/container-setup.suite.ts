import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import type { ContainerSpec, EngineDriver, HeldContainer } from './driver.ts';
import { requireImage } from './driver-contract.suite.ts';
import { processIdentity } from '../run/owner.ts';
import { OUTPUT_LIMIT_BYTES } from './engine-commands.ts';

/** An image with a shell, a HEALTHCHECK that asks for `/healthy`, and a folder `/kept` with a file in it. */
export const BOX_IMAGE = 'lf-qualify/box:dev';
const MIB = 1024 * 1024;
const LIMIT_MS = 60_000;

/** One engine as the suite needs it. */
export interface SetupUnderTest {
  readonly title: string;
  open(): EngineDriver;
  /** Names of the volumes that the engine has for a container, past the driver. */
  volumesOf(id: string): Promise<readonly string[]>;
  /** Whether the engine still has a volume. */
  hasVolume(name: string): Promise<boolean>;
}

/** What a container gets besides its image, and what is done in it while it runs. */
export function containerSetup(engine: SetupUnderTest): void {
  describe(`${engine.title} sets containers up as told`, () => {
    const run = `setup-${randomUUID().slice(0, 8)}`;
    const ownership = { run, owner: processIdentity() };
    let driver: EngineDriver;
    let image: string;
    let folder: string;
    let count = 0;

    const mine = async () => (await driver.owned()).filter((object) => object.run === run);
    const specOf = (more: Partial<ContainerSpec> = {}): ContainerSpec => ({
      name: `lfq-${run}-${++count}`,
      image,
      env: {},
      ownership,
      ...more,
    });
    const hold = (more: Partial<ContainerSpec> = {}): Promise<HeldContainer> => driver.hold(specOf(more));
    const shell = (container: { readonly id: string }, script: string) =>
      driver.runIn(container.id, ['/bin/sh', '-c', script], LIMIT_MS);
    const says = async (container: { readonly id: string }, script: string): Promise<string> =>
      (await shell(container, script)).output;

    beforeAll(async () => {
      driver = engine.open();
      image = await requireImage(driver, BOX_IMAGE);
      folder = await mkdtemp(join(tmpdir(), 'lfq-setup-'));
      await writeFile(join(folder, 'settings'), 'from the host\n');
      await chmod(join(folder, 'settings'), 0o640);
    });
    afterEach(async () => {
      for (const object of await mine()) await driver.removeOwned(object);
    });
    afterAll(async () => {
      driver?.close();
      await rm(folder, { recursive: true, force: true });
    });

    it.each([
      ['the user of the image', undefined, '0 0'],
      ['another user and group', '1234:77', '1234 77'],
    ])('runs as %s', async (_title, user, ids) => {
      const container = await hold(user === undefined ? {} : { user });
      expect(await says(container, 'echo $(id -u) $(id -g)')).toBe(ids);
    });

    it('has its files before it starts, owned by root, with the mode that is given or that of the source', async () => {
      const source = join(folder, 'settings');
      const files = [
        { path: '/etc/app/deep/settings', source },
        { path: '/kept/settings', source, mode: 0o400 },
      ];
      const output: string[] = [];
      const command = ['/bin/sh', '-c', 'cat /etc/app/deep/settings; echo ready; sleep 1000'];
      const seen = Promise.withResolvers<void>();
      const container = await driver.start(specOf({ files, command }), {
        onOutput: (_stream, chunk) => {
          output.push(chunk.toString());
          if (output.join('').includes('ready')) seen.resolve();
        },
      });
      await seen.promise;
      expect(output.join('')).toBe('from the host\nready\n');
      expect(await says(container, "stat -c '%u:%g %a' /etc/app/deep/settings")).toBe('0:0 640');
      expect(await says(container, "stat -c '%u:%g %a' /kept/settings")).toBe('0:0 400');
      // A folder that was there stays as it was.
      expect(await says(container, "stat -c '%u:%g %a' /kept")).toBe('0:0 1777');
      expect(await says(container, 'ls /kept')).toBe('own\nsettings');
    });

    it('names a file whose source cannot be read, and makes nothing', async () => {
      const files = [{ path: '/etc/app/settings', source: join(folder, 'missing') }];
      for (const start of [driver.start, driver.hold]) {
        const failed = start(specOf({ files }));
        await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false, missing: 'file' });
        await expect(failed).rejects.toThrow(join(folder, 'missing'));
        await expect(failed).rejects.toThrow('/etc/app/settings');
      }
      expect(await mine()).toEqual([]);
    });

    it('tells of a file that the image leaves no place for, which says nothing about the image, and makes nothing', async () => {
      const files = [{ path: '/bin/sh/settings', source: join(folder, 'settings') }];
      for (const start of [driver.start, driver.hold]) {
        const failed = start(specOf({ files }));
        await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false, missing: 'file' });
        await expect(failed).rejects.toThrow('/bin/sh/settings');
      }
      expect(await mine()).toEqual([]);
    });

    it('refuses a file that a volume in memory would hide', async () => {
      const files = [{ path: '/scratch/settings', source: join(folder, 'settings') }];
      const failed = hold({ files, volumes: [{ path: '/scratch', tmpfs: {} }] });
      await expect(failed).rejects.toThrow('file /scratch/settings: the volume /scratch in memory would hide it');
    });

    it('gives each container a volume of its own, and removes it with the container', async () => {
      const volumes = [{ path: '/data' }];
      const first = await hold({ volumes });
      expect(await says(first, 'touch /data/mine; ls /data')).toBe('mine');
      const second = await hold({ volumes });
      expect(await says(second, 'ls /data')).toBe('');
      const names = [...(await engine.volumesOf(first.id)), ...(await engine.volumesOf(second.id))];
      expect(new Set(names).size).toBe(2);
      await first.remove();
      for (const object of await mine()) await driver.removeOwned(object);
      for (const name of names) expect(await engine.hasVolume(name)).toBe(false);
    });

    it('gives a volume in memory that is empty, as large as told, and that anybody may write to', async () => {
      const container = await hold({
        user: '1234',
        volumes: [
          { path: '/kept', tmpfs: { sizeBytes: MIB } },
          { path: '/free', tmpfs: {} },
        ],
      });
      expect(await engine.volumesOf(container.id)).toEqual([]);
      expect(await says(container, 'ls /kept')).toBe('');
      expect(await shell(container, 'touch /kept/x && touch /free/x')).toMatchObject({ exitCode: 0 });
      expect(await shell(container, 'head -c 2097152 /dev/zero > /kept/large')).toMatchObject({ exitCode: 1 });
      expect(await shell(container, 'head -c 2097152 /dev/zero > /free/large')).toMatchObject({ exitCode: 0 });
    });

    it('starts for the platform that is asked for', async () => {
      const facts = await driver.inspectImage(image);
      const container = await hold({ platform: `${facts?.os ?? 'linux'}/${facts?.architecture ?? 'amd64'}` });
      expect(await says(container, 'echo there')).toBe('there');
    });

    it('passes on the output of a container that it holds, from its first byte', async () => {
      const seen = Promise.withResolvers<string>();
      const created: string[] = [];
      const container = await driver.hold(specOf(), {
        onCreated: (id) => created.push(id),
        onOutput: (stream, chunk) => seen.resolve(`${stream} ${chunk.toString()}`),
      });
      expect(await seen.promise).toBe('stdout ready\n');
      expect(created).toEqual([container.id]);
    });

    it('tells the code and the output of a command, both streams of it', async () => {
      const container = await hold();
      const result = await shell(container, 'echo one; echo two >&2; exit 3');
      expect(result.exitCode).toBe(3);
      expect(result.output.split('\n').sort()).toEqual(['one', 'two']);
      // A shell's own 127 is an answer like any other.
      expect(await shell(container, 'exit 127')).toEqual({ exitCode: 127, output: '' });
    });

    it('cuts the output of a command that says too much', async () => {
      const container = await hold();
      const { exitCode, output } = await shell(container, `head -c ${OUTPUT_LIMIT_BYTES * 3} /dev/zero | tr '\\0' x`);
      expect(exitCode).toBe(0);
      expect(output).toBe('x'.repeat(OUTPUT_LIMIT_BYTES));
    });

    it.each([
      ['of a program that is not there', ['/no/such/program'], LIMIT_MS, /no such file/],
      ['that takes too long', ['/bin/sh', '-c', 'sleep 1000'], 300, /300 ms/],
    ])('names a command %s', async (_title, command, limitMs, why) => {
      const container = await hold();
      const failed = driver.runIn(container.id, command, limitMs);
      await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false });
      await expect(failed).rejects.toThrow(why);
      await expect(failed).rejects.toThrow(String(command[0]));
    });

    it('runs no command in a container that has ended or is not there, and tells its state', async () => {
      const container = await driver.start(specOf({ command: ['/bin/sh', '-c', 'exit 5'] }));
      await container.ended(new AbortController().signal);
      await expect(shell(container, 'true')).rejects.toBeInstanceOf(EngineError);
      expect(await driver.stateOf(container.id)).toMatchObject({ running: false, exitCode: 5 });
      await container.remove();
      await expect(driver.stateOf(container.id)).rejects.toMatchObject({ name: 'EngineError', lost: false });
    });

    it('tells what the HEALTHCHECK says, before and after it is content, and of a container that has ended', async () => {
      const container = await driver.start(specOf());
      expect(await driver.healthOf(container.id)).toMatch(/^(starting|unhealthy)$/);
      await shell(container, 'touch /healthy');
      await expect.poll(() => driver.healthOf(container.id), { timeout: LIMIT_MS }).toBe('healthy');
      await container.kill('KILL');
      await container.ended(new AbortController().signal);
      expect(await driver.healthOf(container.id)).toBe('unhealthy');
    });

    it('says so where the image has no HEALTHCHECK', async () => {
      const container = await driver.hold(specOf({ image: await requireImage(driver), command: ['wait'] }));
      expect(await driver.healthOf(container.id)).toBe('none');
    });
  });
}
