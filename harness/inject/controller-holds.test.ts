import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { playController } from './controller.ts';
import type { ControllerConduct } from './controller-session.ts';
import { listenAt } from './listen-when-there.ts';
import { watchedRecorder } from './testing.suite.ts';

const REGISTRATION = { jsonrpc: '2.0', id: 'register-1', method: 'service/register', params: { serviceId: 'shop' } };

const open: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function play(kind: Exclude<ControllerConduct['kind'], 'acknowledges'>) {
  const watched = watchedRecorder();
  const { recorder, seen } = watched;
  const controller = await playController({ listen: listenAt('127.0.0.1'), behaviour: { kind }, recorder });
  open.push(() => controller.close());
  const kinds = () => seen.map((entry) => ('state' in entry ? `${entry.kind} ${entry.state}` : entry.kind));
  return { ...watched, controller, kinds };
}

function service(url: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/microservice`);
  socket.on('error', () => undefined);
  open.push(() => socket.terminate());
  const answers: unknown[] = [];
  socket.on('message', (data) => answers.push(JSON.parse(String(data))));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  return { socket, send, answers };
}

const notYet = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => 'resolved'), setImmediate('pending')])) === 'pending';

describe('a controller that holds the registration', () => {
  it('answers it once it is released, and later ones and a goodbye at once', async () => {
    const { controller, kinds } = await play('holds-registration');
    const { socket, send, answers } = service(controller.url);
    await once(socket, 'open');
    expect(await notYet(controller.asked)).toBe(true);
    send(REGISTRATION);
    await controller.asked;
    expect(kinds()).toEqual(['controller.listening', 'controller.session opened', 'controller.received']);
    const answered = once(socket, 'message');
    expect(await controller.release()).toBe(true);
    await answered;
    expect(answers).toMatchObject([{ id: 'register-1', result: { status: 'registered' } }]);
    expect(await controller.registered(0)).toBe(true);
    const { runtimeInstanceId } = (answers[0] as { result: { runtimeInstanceId: string } }).result;
    const acknowledged = once(socket, 'message');
    const params = { runtimeInstanceId, reason: 'terminate' };
    send({ jsonrpc: '2.0', id: 'goodbye-1', method: 'service/deregister', params });
    await acknowledged;
    expect(answers[1]).toMatchObject({ id: 'goodbye-1', result: { status: 'deregistered' } });
    expect(await controller.release()).toBe(false);
  });

  it('has nobody to answer once the service is gone', async () => {
    const { controller, until, kinds } = await play('holds-registration');
    const { socket, send } = service(controller.url);
    await once(socket, 'open');
    send(REGISTRATION);
    await controller.asked;
    socket.terminate();
    await until((entry) => entry.kind === 'controller.session' && entry.state === 'closed');
    expect(await controller.release()).toBe(false);
    expect(await controller.registered(0)).toBe(false);
    expect(kinds()).not.toContain('controller.answered');
  });

  it('answers a first registration that comes after its release', async () => {
    const { controller } = await play('holds-registration');
    expect(await controller.release()).toBe(false);
    const { socket, send, answers } = service(controller.url);
    await once(socket, 'open');
    const answered = once(socket, 'message');
    send(REGISTRATION);
    await answered;
    expect(answers).toMatchObject([{ result: { status: 'registered' } }]);
  });
});

describe('a controller that holds the handshake', () => {
  it('answers it once it is released, and then takes the registration', async () => {
    const { controller, seen, until, kinds } = await play('holds-handshake');
    const { socket, send, answers } = service(controller.url);
    await controller.asked;
    expect(socket.readyState).toBe(WebSocket.CONNECTING);
    expect(seen.at(-1)).toMatchObject({ kind: 'controller.received', session: 1, method: '(handshake)', text: 'held' });
    const opened = once(socket, 'open');
    expect(await controller.release()).toBe(true);
    await opened;
    const answered = once(socket, 'message');
    send(REGISTRATION);
    await answered;
    expect(answers).toMatchObject([{ result: { status: 'registered' } }]);
    socket.close();
    await until((entry) => entry.kind === 'controller.session' && entry.state === 'closed');
    await controller.close();
    expect(kinds()).toEqual([
      'controller.listening',
      'controller.received',
      'controller.session opened',
      'controller.received',
      'controller.answered',
      'controller.session closed',
    ]);
  });

  it('records a connection that goes while it waits, and then has nobody to answer', async () => {
    const { controller, until, seen } = await play('holds-handshake');
    const { socket } = service(controller.url);
    await controller.asked;
    socket.terminate();
    await until((entry) => entry.kind === 'controller.session' && entry.state === 'closed');
    expect(await controller.release()).toBe(false);
    expect(seen).not.toContainEqual(expect.objectContaining({ state: 'opened' }));
  });

  it('ends what it holds when it is closed, and has that on record by then', async () => {
    const { controller, kinds } = await play('holds-handshake');
    const { socket } = service(controller.url);
    await controller.asked;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await controller.close();
    await closed;
    expect(kinds().at(-1)).toBe('controller.session closed');
  });
});

describe('a controller that refuses the registration', () => {
  it('answers with an error and leaves the session open', async () => {
    const { controller, seen } = await play('refuses-registration');
    const { socket, send, answers } = service(controller.url);
    await once(socket, 'open');
    const answered = once(socket, 'message');
    send(REGISTRATION);
    await Promise.all([answered, controller.asked]);
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'register-1', error: { code: -32_000, message: 'registration refused' } },
    ]);
    expect(seen.at(-1)).toMatchObject({ kind: 'controller.answered', outcome: 'refused' });
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(await controller.registered(0)).toBe(false);
    expect(await controller.release()).toBe(false);
  });
});
