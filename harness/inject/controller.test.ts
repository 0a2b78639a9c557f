import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Observation } from '../model/observation.ts';
import type { Controller } from './controller.ts';
import { playController } from './controller.ts';
import type { ControllerConduct } from './controller-session.ts';
import { listenAt } from './listen-when-there.ts';
import { watchedRecorder } from './testing.suite.ts';

const JSON_PROFILE = 'light-controller-runtime-json-v1';
const BINARY_PROFILE = 'light-controller-runtime-rkyv-v1';
const ENOUGH_MS = 30_000;

const open: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Kinds = readonly Observation['kind'][];

async function play(behaviour: ControllerConduct = { kind: 'acknowledges', afterMs: 0 }) {
  const { recorder, seen, until } = watchedRecorder();
  const controller = await playController({ listen: listenAt('127.0.0.1'), behaviour, recorder });
  open.push(() => controller.close());
  const kinds = (): Kinds => seen.map(({ kind }) => kind);
  return { controller, seen, until, kinds };
}

async function service({ url }: Controller, path = '/ws/microservice', profiles: readonly string[] = []) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, [...profiles], {
    headers: { authorization: 'Bearer hush' },
  });
  open.push(() => socket.terminate());
  const answers: unknown[] = [];
  const waiting: ((answer: unknown) => void)[] = [];
  socket.on('message', (data) => {
    const answer: unknown = JSON.parse(String(data));
    const next = waiting.shift();
    if (next) next(answer);
    else answers.push(answer);
  });
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const ask = (message: object): Promise<unknown> => {
    const answer = new Promise<unknown>((resolve) => waiting.push(resolve));
    send(message);
    return answer;
  };
  return { socket, answers, send, ask };
}

const registration = { id: 'register-1', method: 'service/register', params: { serviceId: 'shop', jwt: 'hush' } };
const instanceIn = (answer: unknown): string =>
  (answer as { result: { runtimeInstanceId: string } }).result.runtimeInstanceId;
const goodbye = (runtimeInstanceId: string, reason = 'terminate') => ({
  id: 'goodbye-1',
  method: 'service/deregister',
  params: { runtimeInstanceId, reason },
});

describe('a played controller', () => {
  it('registers a service and acknowledges its goodbye, and records both with their times', async () => {
    const { controller, seen, until, kinds } = await play();
    const { ask, socket } = await service(controller);
    const registered = await ask(registration);
    expect(registered).toEqual({
      jsonrpc: '2.0',
      id: 'register-1',
      result: { runtimeInstanceId: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'registered' },
    });
    const id = instanceIn(registered);
    const acknowledged = { jsonrpc: '2.0', id: 'goodbye-1', result: { runtimeInstanceId: id, status: 'deregistered' } };
    expect(await ask(goodbye(id))).toEqual(acknowledged);
    expect(await ask(goodbye(id))).toEqual(acknowledged);
    socket.close(1000);
    await until((entry) => entry.kind === 'controller.session' && entry.state === 'closed');
    expect(kinds()).toEqual([
      'controller.listening',
      'controller.session',
      ...['register', 'goodbye', 'repeated'].flatMap(() => ['controller.received', 'controller.answered']),
      'controller.session',
    ]);
    expect(seen[0]).toMatchObject({ url: controller.url, behaviour: 'acknowledges after 0 ms' });
    expect(seen[2]).toMatchObject({ session: 1, method: 'service/register', id: 'register-1' });
    expect(seen[4]).toMatchObject({
      method: 'service/deregister',
      id: 'goodbye-1',
      runtimeInstanceId: id,
      reason: 'terminate',
    });
    expect(seen[5]).toMatchObject({
      session: 1,
      method: 'service/deregister',
      id: 'goodbye-1',
      outcome: 'deregistered',
    });
    expect(seen.at(-1)).toMatchObject({ session: 1, state: 'closed', code: 1000 });
    for (const entry of seen.filter(({ kind }) => kind === 'controller.answered')) {
      expect(entry.begin).toBeLessThanOrEqual(entry.t);
    }
    expect(JSON.stringify(seen)).not.toContain('hush');
  });

  it('acknowledges no sooner than it was told to', async () => {
    const { controller, seen } = await play({ kind: 'acknowledges', afterMs: 40 });
    const { ask } = await service(controller);
    await ask(goodbye(instanceIn(await ask(registration))));
    const received = seen.find((entry) => entry.kind === 'controller.received' && entry.id === 'goodbye-1');
    const answered = seen.find((entry) => entry.kind === 'controller.answered' && entry.id === 'goodbye-1');
    // Node's timers count whole milliseconds of a clock that was read before.
    expect(((answered?.begin ?? 0) - (received?.t ?? 0)) / 1e6).toBeGreaterThan(38);
  });

  it('is silent about a goodbye, and about nothing else', async () => {
    const { controller, seen, until, kinds } = await play({ kind: 'silent' });
    const { ask, send, answers } = await service(controller);
    send(goodbye(instanceIn(await ask(registration))));
    send(goodbye('another'));
    const unknown = await ask({ id: 2, method: 'service/sing' });
    expect(unknown).toMatchObject({ id: 2, error: { code: -32601 } });
    await until((entry) => entry.kind === 'controller.answered' && entry.id === '2');
    expect(answers).toEqual([]);
    expect(seen[0]).toMatchObject({ behaviour: 'silent' });
    expect(kinds().filter((kind) => kind === 'controller.answered')).toHaveLength(2);
  });

  it.each([
    ['the instance of another session', (own: string) => goodbye(`${own}x`)],
    ['no instance', () => ({ ...goodbye(''), params: { reason: 'terminate' } })],
    ['a reason that the protocol does not have', (own: string) => goodbye(own, 'bored')],
  ])('refuses a goodbye with %s', async (_, wrong) => {
    const { controller, seen, until } = await play();
    const { ask } = await service(controller);
    const own = instanceIn(await ask(registration));
    expect(await ask(wrong(own))).toMatchObject({ id: 'goodbye-1', error: { code: -32602 } });
    await until((entry) => entry.kind === 'controller.answered' && entry.outcome === 'refused');
    expect(seen).not.toContainEqual(expect.objectContaining({ outcome: 'deregistered' }));
  });

  it('refuses a goodbye before any registration', async () => {
    const { ask } = await service((await play()).controller);
    expect(await ask(goodbye('x'))).toMatchObject({ error: { code: -32602 } });
  });

  it('records notifications and answers nothing to them', async () => {
    const { controller, seen, until } = await play();
    const { send, ask, answers } = await service(controller);
    send({ method: 'service/update_metadata', params: { version: '2' } });
    send({ method: 'service/deregister', params: {} });
    send({ id: 'command-1', result: {} });
    await ask(registration);
    await until((entry) => entry.kind === 'controller.answered');
    const methods = seen.flatMap((entry) => (entry.kind === 'controller.received' ? [entry.method] : []));
    expect(methods).toEqual(['service/update_metadata', 'service/deregister', '(answer)', 'service/register']);
    expect(answers).toEqual([]);
  });

  it('gives each session an instance of its own', async () => {
    const { controller, seen } = await play();
    const [first, second] = [await service(controller), await service(controller)];
    const [one, two] = [instanceIn(await first.ask(registration)), instanceIn(await second.ask(registration))];
    expect(one).not.toBe(two);
    expect(await second.ask(goodbye(one))).toMatchObject({ error: { code: -32602 } });
    expect(seen.flatMap((entry) => (entry.kind === 'controller.session' ? [entry.session] : []))).toEqual([1, 2]);
  });

  it.each<[string, string | Buffer, number, RegExp]>([
    ['that is not JSON', 'hush{', 1008, /^not JSON$/],
    [
      'that is nested too deep',
      `{"method":"m","params":${'['.repeat(70)}${']'.repeat(70)}}`,
      1008,
      /nested deeper than 64/,
    ],
    ['that is binary', Buffer.from('LCRK'), 1003, /binary frame/],
    ['of more than a megabyte', `"${'x'.repeat(1024 * 1024)}"`, 1009, /payload/i],
  ])('closes a session for a frame %s, and records why', async (_, frame, code, text) => {
    const { controller, seen, until } = await play();
    const { socket } = await service(controller);
    const closed = once(socket, 'close');
    socket.send(frame);
    expect((await closed)[0]).toBe(code);
    await until((entry) => entry.kind === 'controller.session' && entry.state === 'closed');
    expect(seen).toContainEqual(
      expect.objectContaining({
        kind: 'controller.received',
        method: '(malformed)',
        text: expect.stringMatching(text),
      }),
    );
    expect(JSON.stringify(seen)).not.toContain('hush');
  });
});

describe('the handshake', () => {
  it.each([
    ['no profile', [], ''],
    ['the JSON profile', [JSON_PROFILE], JSON_PROFILE],
    ['both profiles: JSON is spoken', [BINARY_PROFILE, JSON_PROFILE], JSON_PROFILE],
  ])('accepts %s', async (_, profiles, spoken) => {
    const { socket } = await service((await play()).controller, '/ws/microservice?x=1', profiles);
    expect(socket.protocol).toBe(spoken);
  });

  it.each([
    ['the binary profile', '/ws/microservice', [BINARY_PROFILE], 400, /only light-controller-runtime-json-v1/],
    ['another path', '/ws/microservices', [], 404, /only/],
  ])('refuses %s, and records that somebody was there', async (_, path, profiles, status, text) => {
    const { controller, seen } = await play();
    const socket = new WebSocket(`${controller.url.replace('http', 'ws')}${path}`, [...profiles]);
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(status);
    response.destroy();
    expect(seen).toContainEqual(
      expect.objectContaining({ session: 1, method: '(handshake)', text: expect.stringMatching(text) }),
    );
    expect(seen).not.toContainEqual(expect.objectContaining({ kind: 'controller.session' }));
  });
});

describe('whether a service has registered', () => {
  it('is known when it has, also afterwards', async () => {
    const { controller } = await play();
    const waited = controller.registered(ENOUGH_MS);
    const { ask } = await service(controller);
    await ask(registration);
    expect(await waited).toBe(true);
    expect(await controller.registered(0)).toBe(true);
  });

  it('is no when the time is over, and when the controller goes', async () => {
    const { controller } = await play();
    await service(controller); // a session alone is no registration
    expect(await controller.registered(1)).toBe(false);
    const waited = controller.registered(ENOUGH_MS);
    await controller.close();
    expect(await waited).toBe(false);
  });
});

describe('closing', () => {
  it('ends sessions, half-made connections and pending acknowledgements, and may be repeated', async () => {
    const { controller, seen, until } = await play({ kind: 'acknowledges', afterMs: ENOUGH_MS });
    const { ask, send, socket } = await service(controller);
    send(goodbye(instanceIn(await ask(registration))));
    await until((entry) => entry.kind === 'controller.received' && entry.id === 'goodbye-1');
    const { hostname, port } = new URL(controller.url);
    const idle = connect(Number(port), hostname);
    await once(idle, 'connect');
    const closed = [once(socket, 'close'), once(idle, 'close')];
    await controller.close();
    await controller.close();
    await Promise.all(closed);
    expect(seen.at(-1)).toMatchObject({ kind: 'controller.session', state: 'closed' });
    expect(seen).not.toContainEqual(expect.objectContaining({ outcome: 'deregistered' }));
    const refused = connect(Number(port), hostname);
    expect((await once(refused, 'error').catch((error: unknown) => [error]))[0]).toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('leaves nothing that keeps the process alive', async () => {
    const script = `
      import { once } from 'node:events';
      import { WebSocket } from 'ws';
      import { playController } from ${JSON.stringify(new URL('controller.ts', import.meta.url).href)};
      import { listenAt } from ${JSON.stringify(new URL('listen-when-there.ts', import.meta.url).href)};
      const recorder = { now: () => 0, record: () => undefined };
      const behaviour = { kind: 'acknowledges', afterMs: 1e9 };
      const controller = await playController({ listen: listenAt('127.0.0.1'), behaviour, recorder });
      const socket = new WebSocket(controller.url.replace('http', 'ws') + '/ws/microservice');
      await once(socket, 'open');
      const ask = (id, method, params) => socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      ask(1, 'service/register');
      const [answer] = await once(socket, 'message');
      ask(2, 'service/deregister', { ...JSON.parse(answer).result, reason: 'terminate' });
      ask(3, 'service/other');
      await once(socket, 'message');
      void controller.registered(1e9);
      await controller.close();
      await once(socket, 'close');
      console.log('closed');
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([said, code]).toEqual(['closed\n', 0]);
  });
});
