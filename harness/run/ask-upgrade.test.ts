import { describe, expect, it } from 'vitest';
import { rawService, trial } from '../load/testing.suite.ts';
import { webSockets } from '../load/web-sockets.ts';
import type { Target } from '../model/target.ts';
import { upgrades } from '../wire/testing/web-socket-peer.ts';
import { askUpgrades } from './ask-upgrade.ts';

const service = () => rawService(upgrades((socket) => socket.on('data', () => socket.end())));

async function stage(webSocket: Target['endpoints']['webSocket'] = [{ path: '/ws' }]) {
  const { access } = await service();
  const { context, of, start } = trial(access, webSocket && { webSocket });
  const target: Target = {
    name: 'shop:1',
    image: 'sha256:1',
    env: {},
    ready: { kind: 'tcp', port: access.port, origin: 'EXPOSE' },
    startTimeoutMs: 1000,
    files: [],
    volumes: [],
    outbound: false,
    dependencies: [],
    httpPort: access.port,
    endpoints: context.endpoints,
    faults: {},
    secrets: [],
  };
  const life = new AbortController();
  const ask = (held: Parameters<typeof askUpgrades>[1] = [], address: string | null = access.address) =>
    askUpgrades(
      { recorder: context.recorder, target, vantage: { address: address ?? undefined }, life: { ended: life.signal } },
      held,
    );
  return { context, of, start, ask };
}

describe('the step upgrade', () => {
  it('asks on a new connection and completes what is half sent', async () => {
    const { context, of, start, ask } = await stage();
    const { held } = await start(webSockets({ shape: 'web-sockets', kind: 'half-upgrade', count: 2 }, context));
    await ask(held);
    const seen = of('ws.upgrade');
    expect(seen.map(({ via, outcome }) => `${via} ${outcome}`).toSorted()).toEqual([
      'half-sent upgraded',
      'half-sent upgraded',
      'new upgraded',
    ]);
    expect(of('work.finished')).toHaveLength(2);
  });

  it('numbers what it asks', async () => {
    const { of, ask } = await stage();
    await ask();
    await ask();
    expect(of('ws.upgrade').map(({ id }) => id)).toEqual(['upgrade-1', 'upgrade-2']);
  });

  it('asks nothing where there is no route or no way to the container', async () => {
    const undeclared = await stage([]);
    await undeclared.ask();
    const unreached = await stage();
    await unreached.ask([], null);
    expect([...undeclared.of('ws.upgrade'), ...unreached.of('ws.upgrade')]).toEqual([]);
  });
});
