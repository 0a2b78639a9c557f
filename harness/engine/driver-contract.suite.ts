import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import type { AskedFor } from './asked-for.suite.ts';
import type { ContainerSpec, EngineDriver, RunningContainer } from './driver.ts';
import { OWNER_LABEL, RUN_LABEL } from './driver.ts';

/** Built by `npm run images`; its commands are what this suite drives. */
export const HELPER_IMAGE = 'lf-qualify/helper:dev';
/** The helper itself, as its image has it. */
const HELPER_PATH = '/lfq-helper';
const MISSING_IMAGE = `sha256:${'ab'.repeat(32)}`;
const MEMORY_BYTES = 32 * 1024 * 1024;

/** One engine as the suite needs it. */
export interface DriverUnderTest {
  readonly title: string;
  open(): EngineDriver;
  /** The container as the engine shows it, past the driver. */
  askedFor(id: string): Promise<AskedFor>;
  /** Whether the engine says that a container was killed for its memory. */
  readonly tellsOom: boolean;
  /** Whether kill events carry the signal. */
  readonly tellsSignal: boolean;
  /** Why the engine here enforces no memory limit, where it cannot. */
  readonly noMemoryLimit?: string;
}

/** The image's id, or an error that says how to get it. */
export async function requireImage(driver: EngineDriver, reference = HELPER_IMAGE): Promise<string> {
  const image = await driver.inspectImage(reference);
  if (image) return image.digest;
  throw new Error(`${driver.name} does not have ${reference}, which this test needs: run \`npm run images\` first`);
}

/** A container with what it wrote, and a way to wait until it wrote something. */
interface Watched extends RunningContainer {
  readonly output: { stdout: string; stderr: string };
  readonly outputEnd: Promise<void>;
  saw(text: string): Promise<void>;
}

/** What every driver must do, whatever the engine. Nothing here asserts a time. */
export function driverContract(engine: DriverUnderTest): void {
  describe(`${engine.title} keeps the driver contract`, () => {
    const run = `contract-${randomUUID().slice(0, 8)}`;
    const ownership = { run, owner: 'contract:1:1' };
    let driver: EngineDriver;
    let image: string;
    let count = 0;
    const never = new AbortController().signal;

    const mine = async () => (await driver.owned()).filter((object) => object.run === run);
    const removeMine = async (): Promise<void> => {
      const rank = { container: 0, network: 1, image: 2 };
      const objects = (await mine()).sort((a, b) => rank[a.type] - rank[b.type]);
      for (const object of objects) await driver.removeOwned(object);
    };

    beforeAll(async () => {
      driver = engine.open();
      image = await requireImage(driver);
    });
    afterEach(removeMine);
    afterAll(() => driver?.close());

    function specOf(command: readonly string[], more: Partial<ContainerSpec> = {}): ContainerSpec {
      return { name: `lfq-${run}-${++count}`, image, command, env: {}, ownership, ...more };
    }

    async function start(command: readonly string[], more: Partial<ContainerSpec> = {}): Promise<Watched> {
      const output = { stdout: '', stderr: '' };
      const ended = Promise.withResolvers<void>();
      const watchers: (() => void)[] = [];
      const container = await driver.start(specOf(command, more), {
        onOutput: (stream, chunk) => {
          output[stream] += chunk.toString();
          for (const watch of watchers) watch();
        },
        onOutputEnd: () => ended.resolve(),
      });
      const saw = (text: string): Promise<void> =>
        new Promise((resolve) => {
          const watch = (): void => {
            if (output.stdout.includes(text)) resolve();
          };
          watchers.push(watch);
          watch();
        });
      return Object.assign(container, { output, outputEnd: ended.promise, saw });
    }

    async function startReady(command: readonly string[], more: Partial<ContainerSpec> = {}): Promise<Watched> {
      const container = await start(command, more);
      await container.saw('"ready"');
      return container;
    }

    it('tells its name and where it is', async () => {
      const facts = await driver.facts();
      expect(facts).toMatchObject({ name: driver.name, version: expect.stringMatching(/^\d+\.\d+/) });
      expect(facts.address).toContain('://');
      expect((await driver.facts()).id).toBe(facts.id);
    });

    it('knows an image by name and by id, with the stop signal that applies', async () => {
      expect(await driver.inspectImage(HELPER_IMAGE)).toMatchObject({
        reference: HELPER_IMAGE,
        digest: image,
        stopSignal: { value: 'TERM', origin: 'engine default' },
      });
      expect(await driver.inspectImage(image)).toMatchObject({ digest: image });
    });

    it('gives undefined for an image it does not have', async () => {
      expect(await driver.inspectImage('lf-qualify/no-such-image:1')).toBeUndefined();
      expect(await driver.inspectImage(MISSING_IMAGE)).toBeUndefined();
    });

    it.each([0, 7, 143])('reads exit %i back as it is', async (code) => {
      const container = await start(['exit', String(code)]);
      expect(await container.ended(never)).toMatchObject({ running: false, exitCode: code, oomKilled: false });
      expect(await container.inspect()).toMatchObject({ running: false, exitCode: code });
    });

    it('reads a SIGKILL as 137', async () => {
      const container = await startReady(['wait']);
      expect(await container.kill('KILL')).toBe('delivered');
      expect(await container.ended(never)).toMatchObject({ running: false, exitCode: 137 });
    });

    it('reads the code of a handler that got TERM', async () => {
      const container = await startReady(['exact', '20', '9']);
      expect(await container.inspect()).toMatchObject({ running: true, pid: container.pid });
      expect(container.pid).toBeGreaterThan(0);
      expect(await container.kill('TERM')).toBe('delivered');
      const state = await container.ended(never);
      expect(state).toMatchObject({ running: false, exitCode: 9 });
      expect(state.pid).toBeUndefined();
    });

    it('takes the spellings of a signal', async () => {
      const container = await startReady(['exact', '200', '0']);
      await container.kill('sigint');
      await container.kill('15');
      await container.ended(never);
      await container.outputEnd;
      expect(signalsIn(container.output.stdout)).toEqual([2, 15]);
    });

    it('delivers two awaited signals in their order', async () => {
      const container = await startReady(['exact', '200', '0']);
      await container.kill('TERM');
      // Of two that are pending the kernel delivers the lower number first, whatever the engine did.
      await container.saw('"signo":15');
      await container.kill('INT');
      await container.ended(never);
      await container.outputEnd;
      expect(signalsIn(container.output.stdout)).toEqual([15, 2]);
    });

    it('says that a container has ended when it is killed after its end', async () => {
      const container = await start(['exit', '0']);
      await container.ended(never);
      expect(await container.kill('TERM')).toBe('ended');
      expect(await container.kill('KILL')).toBe('ended');
    });

    it('delivers all output of a process that prints and exits at once, and stored the same', async () => {
      const container = await start(['lines', '500']);
      await container.ended(never);
      await container.outputEnd;
      const lines = Array.from({ length: 500 }, (_, index) => `line ${index + 1}\n`).join('');
      expect(container.output).toEqual({ stdout: lines, stderr: '' });
      const stored = { stdout: '', stderr: '' };
      await container.logs((stream, chunk) => {
        stored[stream] += chunk.toString();
      });
      expect(stored).toEqual({ stdout: lines, stderr: '' });
      const last: string[] = [];
      await container.logs((_, chunk) => last.push(chunk.toString()), 2);
      expect(last.join('')).toBe('line 499\nline 500\n');
    });

    it('shows the kill before the end in the events, in nanoseconds', async () => {
      const container = await startReady(['exact', '0', '4']);
      await container.kill('TERM');
      const state = await container.ended(never);
      const events = await container.events();
      const kill = events.find(({ action }) => action === 'kill');
      const die = events.find(({ action }) => action === 'die');
      expect(events.filter(({ action }) => action === 'kill' || action === 'die')).toEqual([kill, die]);
      expect(die?.exitCode).toBe(4);
      if (engine.tellsSignal) expect(kill?.signal).toBe('TERM');
      expect(kill?.atNs).toBeTypeOf('bigint');
      expect(die?.atNs).toBeGreaterThanOrEqual(kill?.atNs ?? 0n);
      expect(state.finishedAtNs).toBeTypeOf('bigint');
      expect(events.map(({ atNs }) => atNs)).toEqual(events.map(({ atNs }) => atNs).sort());
    });

    it('stops with the timeout it is given, then kills', async () => {
      const container = await startReady(['wait']);
      await container.stop(1);
      expect(await container.ended(never)).toMatchObject({ exitCode: 137 });
    });

    it.each([undefined, 5])(
      'leaves a process its own code when it ends before the stop timeout (%s)',
      async (timeoutS) => {
        const container = await startReady(['exact', '50', '6']);
        await container.stop(timeoutS);
        expect(await container.ended(never)).toMatchObject({ exitCode: 6 });
        expect(signalsIn(container.output.stdout)).toEqual([15]);
        await container.stop(timeoutS);
      },
    );

    it('asks for exactly what the spec says', async () => {
      const network = await driver.createNetwork(`lfq-${run}-asked`, { internal: true, ownership });
      const container = await startReady(['wait'], {
        network,
        entrypoint: [HELPER_PATH],
        env: { PLAIN: '1', WITH_EQUALS: 'a=b', EMPTY: '' },
        memoryBytes: MEMORY_BYTES,
      });
      expect(container.address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      const asked = await engine.askedFor(container.id);
      expect(asked).toMatchObject({
        command: ['wait'],
        entrypoint: [HELPER_PATH],
        labels: { [RUN_LABEL]: run, [OWNER_LABEL]: 'contract:1:1' },
        networks: [`lfq-${run}-asked`],
        restart: 'no',
        tty: false,
        autoRemove: false,
        publishedPorts: [],
        memoryBytes: engine.noMemoryLimit === undefined ? MEMORY_BYTES : 0,
      });
      expect(asked.env).toEqual(expect.arrayContaining(['PLAIN=1', 'WITH_EQUALS=a=b', 'EMPTY=']));
    });

    it('takes a network by name, and gives none when none is asked for', async () => {
      const name = `lfq-${run}-named`;
      await driver.createNetwork(name, { internal: true, ownership });
      const on = await startReady(['wait'], { network: name });
      const off = await startReady(['wait']);
      expect((await engine.askedFor(on.id)).networks).toEqual([name]);
      expect((await engine.askedFor(off.id)).networks).toEqual([]);
      expect(off.address).toBeUndefined();
    });

    it('puts an init in front, which passes TERM on and ends with the child’s status', async () => {
      const handles = await startReady(['exact', '20', '9'], { init: true });
      const dies = await startReady(['wait'], { init: true });
      expect((await engine.askedFor(handles.id)).init).toBe(true);
      if ((await driver.facts()).local) {
        expect((await readFile(`/proc/${handles.pid}/comm`, 'utf8')).trim()).not.toBe('lfq-helper');
      }
      await handles.kill('TERM');
      await dies.kill('TERM');
      expect(await handles.ended(never)).toMatchObject({ exitCode: 9 });
      // Without an init a process that installs no handler would not even notice.
      expect(await dies.ended(never)).toMatchObject({ exitCode: 143 });
      expect((await engine.askedFor((await startReady(['wait'])).id)).init).toBe(false);
    });

    it('tells the host’s address on a network, at which its containers reach the host', async () => {
      const name = `lfq-${run}-gateway`;
      const network = await driver.createNetwork(name, { internal: true, ownership });
      const gateway = await driver.gatewayOf(network);
      expect(isIPv4(gateway ?? '')).toBe(true);
      expect(await driver.gatewayOf(name)).toBe(gateway);
      const neighbour = await startReady(['wait'], { network });
      expect(neighbour.address).not.toBe(gateway);
      const { local, rootless } = await driver.facts();
      if (!local || rootless) return;
      const here = Object.values(networkInterfaces()).flatMap((links) => (links ?? []).map(({ address }) => address));
      expect(here).toContain(gateway);
      const server = createServer((socket) => socket.destroy());
      try {
        server.listen(0, gateway);
        await once(server, 'listening');
        const reached = once(server, 'connection');
        const { port } = server.address() as AddressInfo;
        await start(['probe', String(gateway), String(port), '1', '0'], { network });
        await reached;
      } finally {
        server.close();
      }
    });

    it('has no gateway to tell of a network that is not there', async () => {
      const failed = driver.gatewayOf(`lfq-${run}-nowhere`);
      await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false });
      await expect(failed).rejects.toThrow(`lfq-${run}-nowhere`);
    });

    it('names the image that it does not have', async () => {
      const failed = driver.start(specOf(['wait'], { image: MISSING_IMAGE }));
      await expect(failed).rejects.toBeInstanceOf(EngineError);
      await expect(failed).rejects.toThrow(MISSING_IMAGE);
      await expect(failed).rejects.toThrow('the engine does not have it: pull or load it first');
      await expect(failed).rejects.toMatchObject({ lost: false });
      expect(await mine()).toEqual([]);
    });

    const limit = engine.noMemoryLimit;
    const told = limit === undefined ? 'as far as the engine does' : `never: ${limit}`;
    it(`reports an out-of-memory kill ${told}`, async () => {
      const container = await start(['alloc', '64'], { memoryBytes: MEMORY_BYTES });
      if (limit !== undefined) {
        await container.saw('"allocated"');
        expect(await container.inspect()).toMatchObject({ running: true, oomKilled: false });
        return;
      }
      let state = await container.ended(never);
      expect(state.exitCode).toBe(137);
      // Docker's word of it may come after the exit; a driver that never has it never ends here
      while (engine.tellsOom && !state.oomKilled) state = await container.inspect();
      expect(state.oomKilled).toBe(engine.tellsOom);
    });

    it('gives up waiting for the end when told to, with the reason given', async () => {
      const container = await startReady(['wait']);
      const abort = new AbortController();
      const ended = container.ended(abort.signal);
      abort.abort(new Error('enough'));
      await expect(ended).rejects.toThrow('enough');
      await expect(container.ended(abort.signal)).rejects.toThrow('enough');
      expect(await container.inspect()).toMatchObject({ running: true });
    });

    it('holds a container until told otherwise', async () => {
      const network = await driver.createNetwork(`lfq-${run}-held`, { internal: true, ownership });
      const held = await driver.hold(specOf(['wait'], { network }));
      expect(held.address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect((await mine()).map(({ id }) => id)).toContain(held.id);
      await held.remove();
      await held.remove();
      expect((await mine()).map(({ id }) => id)).not.toContain(held.id);
    });

    it('finds all objects of a run and removes them, and removing twice is fine', async () => {
      const network = await driver.createNetwork(`lfq-${run}-owned`, { internal: true, ownership });
      const running = await startReady(['wait'], { network });
      const ended = await start(['exit', '0'], { network });
      await ended.ended(never);
      await driver.tagImage(image, `lf-qualify-run/${run}`, 'carried');
      const objects = await mine();
      expect(
        objects.map(({ type, name }) => `${type} ${name.replace(/^(docker\.io|localhost)\//, '')}`).sort(),
      ).toEqual(
        [
          `container ${running.name}`,
          `container ${ended.name}`,
          `network lfq-${run}-owned`,
          `image lf-qualify-run/${run}:carried`,
        ].sort(),
      );
      await removeMine();
      expect(await mine()).toEqual([]);
      for (const object of objects) await driver.removeOwned(object);
      expect(await driver.inspectImage(HELPER_IMAGE)).toMatchObject({ digest: image });
    });

    it('removes a container that runs, and again when it is gone', async () => {
      const container = await startReady(['wait']);
      await container.remove();
      await container.remove();
      expect(await mine()).toEqual([]);
    });

    it('loads back an image that it saved', async () => {
      const { stream } = await driver.saveImage(HELPER_IMAGE);
      const progress: string[] = [];
      await driver.loadImage(stream, (line) => progress.push(line));
      expect(progress.join('\n')).toMatch(/loaded/i);
      expect(await driver.inspectImage(HELPER_IMAGE)).toMatchObject({ digest: image });
    });
  });
}

function signalsIn(output: string): readonly number[] {
  return output
    .split('\n')
    .filter((line) => line.includes('"signal"'))
    .map((line) => (JSON.parse(line) as { signo: number }).signo);
}
