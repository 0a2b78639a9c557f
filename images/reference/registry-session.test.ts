import { describe, expect, it } from 'vitest';
import { RegistrySession } from './registry-session.ts';
import { ShutdownContext } from './shutdown-context.ts';
import { collectedLog } from './testing/collected-log.ts';
import { PlayedSocket } from './testing/played-socket.ts';
import { settle, VirtualClock } from './testing/virtual-clock.ts';

const identity = { serviceId: 's', version: '1', protocol: 'http', address: '10.0.0.2', port: 8080 } as const;

const begin = ({ needed = false } = {}) => {
  const clock = new VirtualClock();
  const log = collectedLog();
  const sockets: PlayedSocket[] = [];
  const connect = () => {
    const socket = new PlayedSocket();
    sockets.push(socket);
    return socket.asSocket;
  };
  const session = new RegistrySession({ identity, clock, log, needed, connect });
  let started = false;
  const start = session.start().then(() => {
    started = true;
  });
  const last = (): PlayedSocket => sockets.at(-1) ?? new PlayedSocket();
  return { clock, log, sockets, session, start, last, isStarted: () => started };
};

const register = (socket: PlayedSocket, runtimeInstanceId = 'one'): void => {
  socket.open();
  socket.answer({ jsonrpc: '2.0', id: 'register-1', result: { runtimeInstanceId, status: 'registered' } });
};

const registered = async () => {
  const parts = begin();
  register(parts.last());
  await parts.start;
  return parts;
};

/** A stop that has been accepted; `outcomes` fills when its goodbye is over. */
const stop = async (parts: ReturnType<typeof begin>, graceMs = 2000) => {
  const context = new ShutdownContext('Interrupt', graceMs, parts.clock);
  const outcomes: [string, number][] = [];
  const done = parts.session.shutdown(context).then((outcome) => void outcomes.push([outcome, parts.clock.now()]));
  await settle();
  return { context, outcomes, done };
};

describe('a registry session', () => {
  it('registers before the start goes on', async () => {
    const { last, isStarted, start, log } = begin();
    last().open();
    await settle();
    expect([last().sent[0]?.method, isStarted()]).toEqual(['service/register', false]);
    register(last());
    await start;
    expect(log.lines).toContain('info portal-registry registered runtime_instance_id=one');
  });

  const unregistered: readonly (readonly [string, number, (socket: PlayedSocket) => void])[] = [
    ['the controller is silent for 5 s', 5000, () => undefined],
    ['the connection fails', 0, (socket: PlayedSocket) => socket.dispatchEvent(new Event('error'))],
    ['the controller refuses', 0, (socket: PlayedSocket) => socket.answer({ id: 'register-1', error: { code: 1 } })],
  ];

  it.each(unregistered)('lets the service start when %s, and says so', async (_when, afterMs, happens) => {
    const { clock, last, isStarted, log } = begin();
    happens(last());
    await clock.advance(Math.max(0, afterMs - 1));
    expect(isStarted()).toBe(afterMs === 0);
    await clock.advance(1);
    expect(isStarted()).toBe(true);
    expect(log.lines).toEqual(['warn portal-registry registration failed; starting without it']);
  });

  it.each(unregistered)('fails the start when %s and it must not start without', async (_when, afterMs, happens) => {
    const { clock, last, start, log } = begin({ needed: true });
    const failed = expect(start).rejects.toThrow('registration failed, and the service must not start without it');
    happens(last());
    await clock.advance(afterMs);
    await failed;
    expect(log.lines).toEqual([]);
  });

  it.each<[string, (socket: PlayedSocket) => void]>([
    ['the handshake', () => undefined],
    ['the registration', (socket) => socket.open()],
  ])('aborted while %s is not answered closes its socket, and says and begins nothing more', async (_what, before) => {
    const { clock, last, session, sockets, start, log } = begin({ needed: true });
    before(last());
    const sent = last().sent.length;
    session.abort();
    expect(last().closing).toBe(true);
    register(last());
    last().end();
    await start;
    await clock.advance(60_000);
    expect([sockets.length, last().sent.length, clock.pending]).toEqual([1, sent, 0]);
    expect(log.lines).toEqual([]);
  });

  it('comes back one second after any close, and registers again', async () => {
    const { clock, sockets, last } = await registered();
    last().end();
    await clock.advance(999);
    expect(sockets).toHaveLength(1);
    await clock.advance(1);
    register(last(), 'two');
    expect(sockets.map((socket) => socket.sent[0]?.method)).toEqual(['service/register', 'service/register']);
  });

  it('says goodbye with its instance and reason, and closes its socket after the acknowledgement', async () => {
    const parts = await registered();
    const { outcomes, done } = await stop(parts);
    expect(parts.last().sent.at(-1)).toMatchObject({
      method: 'service/deregister',
      params: { runtimeInstanceId: 'one', reason: 'interrupt' },
    });
    expect(parts.last().closing).toBe(false);
    parts.last().answer({ id: 'goodbye-1', result: { runtimeInstanceId: 'one', status: 'deregistered' } });
    await settle();
    expect([parts.last().closing, outcomes]).toEqual([true, []]);
    parts.last().end();
    await done;
    expect(outcomes).toEqual([['Acknowledged', 0]]);
  });

  it('waits for the close of its socket no longer than 50 ms', async () => {
    const parts = await registered();
    const { outcomes } = await stop(parts);
    parts.last().answer({ id: 'goodbye-1', result: { runtimeInstanceId: 'one', status: 'deregistered' } });
    await parts.clock.advance(50);
    expect(outcomes).toEqual([['Acknowledged', 50]]);
  });

  it.each([
    ['the grace that is left', 2000, 2050],
    ['five seconds', 8000, 5050],
    ['half the floor with a grace of 0', 0, 175],
  ])('gives a silent controller %s', async (_what, graceMs, endMs) => {
    const parts = await registered();
    const { outcomes } = await stop(parts, graceMs);
    await parts.clock.advance(10_000);
    expect(outcomes).toEqual([['TimedOut', endMs]]);
  });

  it('gives up its goodbye when the drain collapses', async () => {
    const parts = await registered();
    const { context, outcomes } = await stop(parts);
    await parts.clock.advance(100);
    context.collapse();
    await parts.clock.advance(50);
    expect(outcomes).toEqual([['TimedOut', 150]]);
  });

  it.each([
    ['an error', { id: 'goodbye-1', error: { code: -32602 } }, 'Disconnected'],
    ['another instance', { id: 'goodbye-1', result: { runtimeInstanceId: 'x', status: 'deregistered' } }, 'TimedOut'],
    ['another request', { id: 'other', result: { runtimeInstanceId: 'one', status: 'deregistered' } }, 'TimedOut'],
  ])('takes the answer of %s for no acknowledgement', async (_what, answer, outcome) => {
    const parts = await registered();
    const { outcomes } = await stop(parts);
    parts.last().answer(answer);
    await parts.clock.advance(10_000);
    expect(outcomes.map(([said]) => said)).toEqual([outcome]);
  });

  it.each([
    ['in mid-goodbye', async () => registered(), (parts: ReturnType<typeof begin>) => parts.last().end()],
    [
      'before the goodbye',
      async () => {
        const parts = await registered();
        parts.last().end();
        return parts;
      },
      () => undefined,
    ],
    ['in mid-connect', async () => begin(), (parts: ReturnType<typeof begin>) => parts.last().end()],
  ])('never connects again when its socket goes %s', async (_when, prepare, happens) => {
    const parts = await prepare();
    const { done, outcomes } = await stop(parts);
    happens(parts);
    await parts.clock.advance(0);
    await done;
    expect(outcomes).toEqual([['Disconnected', 0]]);
    await parts.clock.advance(60_000);
    expect(parts.sockets).toHaveLength(1);
  });

  it('does not register on a connection that opens after the stop began', async () => {
    const parts = begin();
    await stop(parts);
    parts.last().open();
    expect([parts.last().sent, parts.last().closing]).toEqual([[], true]);
  });

  it('is closed for good when the start-up is aborted', async () => {
    const { session, last, clock, sockets } = begin();
    session.abort();
    expect(last().closing).toBe(true);
    last().end();
    await clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});
