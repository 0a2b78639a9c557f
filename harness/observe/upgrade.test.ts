import { describe, expect, it } from 'vitest';
import type { Service } from '../load/testing.suite.ts';
import { httpService, rawService, trial } from '../load/testing.suite.ts';
import type { WebSocketEndpoint } from '../model/websocket.ts';
import { closeFrame, text, upgrades } from '../wire/testing/web-socket-peer.ts';
import { askForUpgrade } from './upgrade.ts';

const endpoint: WebSocketEndpoint = { path: '/ws', register: { send: 'me', answer: 'registered' } };

async function asked(service: Service, ended = new AbortController().signal) {
  const { context, of } = trial(service.access);
  await askForUpgrade({ access: service.access, endpoint, id: 'upgrade-1', recorder: context.recorder, ended });
  return of('ws.upgrade');
}

describe('an upgrade on a new connection is on record', () => {
  it.each<[string, () => Promise<Service>, object]>([
    [
      'answered',
      () => httpService((_, response) => response.writeHead(503).end()),
      { outcome: 'answered', status: 503 },
    ],
    ['reset', () => rawService((socket) => socket.once('data', () => socket.resetAndDestroy())), { outcome: 'reset' }],
    [
      'closed at once',
      () => rawService(upgrades((socket) => socket.end(closeFrame(1001, 'bye')))),
      { outcome: 'upgraded', served: false, end: { close: { code: 1001 } } },
    ],
    [
      'served',
      () => rawService(upgrades((socket) => socket.once('data', () => socket.end(text('registered'))))),
      { outcome: 'upgraded', served: true },
    ],
  ])('%s', async (_, service, expected) => {
    const [seen, ...others] = await asked(await service());
    expect(others).toEqual([]);
    expect(seen).toMatchObject({ id: 'upgrade-1', via: 'new', path: '/ws', ...expected });
    expect(seen?.sentBegin).toBeGreaterThanOrEqual(seen?.begin ?? Number.POSITIVE_INFINITY);
  });

  it('refused', async () => {
    const service = await rawService(() => undefined);
    service.close();
    const [seen] = await asked(service);
    expect(seen).toMatchObject({ outcome: 'refused', message: 'ECONNREFUSED' });
    expect(seen).not.toHaveProperty('sentBegin');
  });
});

describe('nothing is on record of what may be another', () => {
  it('where the process had ended already', async () => {
    let connections = 0;
    const service = await rawService(() => (connections += 1));
    expect(await asked(service, AbortSignal.abort())).toEqual([]);
    expect(connections).toBe(0);
  });

  it('where it had ended by the time the connection stood', async () => {
    const ended = new AbortController();
    const service = await rawService((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    const seen = asked(service, ended.signal);
    ended.abort();
    expect(await seen).toEqual([]);
  });
});
