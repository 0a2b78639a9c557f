import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requireImage } from './driver-contract.suite.ts';
import { openRelay } from '../wire/relay.ts';
import type { EngineDriver, HeldContainer, Sidecar, SidecarSpec } from './driver.ts';

/** What a sidecar can do on every real engine, local or remote. Nothing here asserts a time. */
export function sidecarContract(title: string, open: () => EngineDriver): void {
  describe(`${title} starts sidecars`, () => {
    const ownership = { run: `sidecar-${randomUUID().slice(0, 8)}`, owner: 'contract:1:1' };
    let driver: EngineDriver;
    let image: string;
    let count = 0;

    beforeAll(async () => {
      driver = open();
      image = await requireImage(driver);
    });
    afterEach(async () => {
      const mine = (await driver.owned()).filter(({ run }) => run === ownership.run);
      for (const object of mine.toSorted((a, b) => b.name.localeCompare(a.name))) await driver.removeOwned(object);
    });
    afterAll(() => driver?.close());

    // Names sort so that sidecars go before targets, and these before networks.
    const hold = async (command: readonly string[], network: string): Promise<HeldContainer> =>
      await driver.hold({ name: `lfq-${ownership.run}-b${++count}`, image, command, env: {}, network, ownership });
    const network = async (): Promise<string> =>
      await driver.createNetwork(`lfq-${ownership.run}-a${++count}`, { internal: true, ownership });
    const sidecar = async (spec: Pick<SidecarSpec, 'command' | 'network' | 'hostProcesses'>): Promise<Sidecar> =>
      await driver.startSidecar({ name: `lfq-${ownership.run}-c${++count}`, image, ownership, ...spec });

    it('in the network of another container, where its loopback is the other’s', async () => {
      const target = await hold(['serve', '8080'], await network());
      const beside = await sidecar({
        command: ['probe', '127.0.0.1', '8080', '1', '0'],
        network: { container: target.id },
      });
      expect(JSON.parse(await text(beside.output))).toMatchObject({ outcome: 'answered', status: 200 });
      await beside.remove();
      await beside.remove();
    });

    it('on a network, with an address of its own', async () => {
      const name = await network();
      const target = await hold(['serve', '8080'], name);
      const address = target.address ?? '';
      // a bridge may drop the first packet to a port that it has just got: sent again after a second
      const asks = ['probe', address, '8080', '1', '0', '5000'];
      const asked = await sidecar({ command: asks, network: { name } });
      expect(JSON.parse(await text(asked.output))).toMatchObject({ outcome: 'answered', status: 200 });
      const beside = await sidecar({ command: ['hold'], network: { name } });
      expect(beside.address).toMatch(/^\d+(\.\d+){3}$/);
      expect(beside.address).not.toBe(address);
    });

    it('that see the processes of the host, and so PID 1 of the other container', async () => {
      const name = await network();
      const target = await driver.start({
        name: `lfq-${ownership.run}-b${++count}`,
        image,
        command: ['wait'],
        env: {},
        network: name,
        ownership,
      });
      const beside = await sidecar({
        command: ['snapshot', String(target.pid)],
        network: { container: target.id },
        hostProcesses: true,
      });
      const lines = (await text(beside.output)).trim().split('\n');
      expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ ev: 'process', pid: target.pid, nsPid: 1, args: ['/lfq-helper', 'wait'] }),
      );
    });

    it('that read what is written to them until it ends', async () => {
      const target = await hold(['hold'], await network());
      const beside = await sidecar({ command: ['watch', '1'], network: { container: target.id }, hostProcesses: true });
      beside.output.once('data', () => beside.input.end());
      expect(await text(beside.output)).toContain('"ev":"attached"');
    });

    it('that get what is written to them, and nothing before it', async () => {
      const target = await hold(['hold'], await network());
      const beside = await sidecar({ command: ['relay'], network: { container: target.id } });
      const relay = await openRelay(beside);
      expect(await relay.ping()).toMatchObject({ errorNs: expect.any(BigInt) });
      relay.close();
      await relay.closed;
    });

    it('whose complaint is the error of their output', async () => {
      const target = await hold(['hold'], await network());
      const beside = await sidecar({ command: ['probe', 'nowhere', '1', '1', '1'], network: { container: target.id } });
      await expect(text(beside.output)).rejects.toThrow(/ADDR must be an IP address, got nowhere/);
    });

    it('whose failure to start names them, and leaves nothing', async () => {
      const gone = 'f'.repeat(64);
      await expect(sidecar({ command: ['hold'], network: { container: gone } })).rejects.toThrow(
        /start sidecar lfq-sidecar-/,
      );
      expect((await driver.owned()).filter(({ run }) => run === ownership.run)).toEqual([]);
    });
  });
}
