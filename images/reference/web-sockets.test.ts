import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { client as open, listening as listen, trust } from './testing/listening.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});

const listening = () => listen(cleanUp);
type Service = Awaited<ReturnType<typeof listening>>;
type Over = 'http' | 'https';

const portOf = ({ transport }: Service, over: Over): number => (over === 'http' ? transport.port : transport.httpsPort);

/** An open WebSocket that answers a Close, and how it ends: `1001 shutting down`. */
const joined = async (service: Service, over: Over = 'http') => {
  const address = `${over === 'http' ? 'ws' : 'wss'}://127.0.0.1:${portOf(service, over)}/ws`;
  const webSocket = new WebSocket(address, over === 'http' ? {} : trust);
  cleanUp.push(() => webSocket.terminate());
  webSocket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => webSocket.on('close', (code, reason) => resolve(`${code} ${reason}`)));
  await once(webSocket, 'open');
  return { webSocket, ended };
};

/** Larger than what two sockets hold between them. */
const FLOOD = 32 * 1024 * 1024;

/** One that asked for more than the sockets hold, and has stopped reading after the first message. */
const behind = async (service: Service, over: Over = 'http') => {
  const { webSocket, ended } = await joined(service, over);
  const got = { bytes: 0 };
  webSocket.on('message', (data: Buffer) => {
    got.bytes += data.length;
  });
  webSocket.once('message', () => webSocket.pause());
  webSocket.send(`flood ${FLOOD}`);
  await once(webSocket, 'message');
  return { webSocket, ended, got };
};

const half =
  'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
const rest = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

/** One that was upgraded and whose peer answers no Close. */
const mute = async (service: Service) => {
  const peer = await open(service.transport.port, cleanUp);
  peer.socket.write(half + rest);
  await peer.until('\r\n\r\n');
  return peer;
};

describe.each(['http', 'https'] as const)('a WebSocket over %s', (over) => {
  it('is registered, answers, and floods', async () => {
    const { webSocket } = await joined(await listening(), over);
    const ask = async (text: string): Promise<string> => {
      webSocket.send(text);
      return String((await once(webSocket, 'message'))[0]);
    };
    expect(await ask('{"register":true}')).toBe('{"registered":true}');
    expect(await ask('ping')).toBe('pong');
    expect(await ask('flood 65536')).toHaveLength(65_536);
  });

  it('gets its Close when the gate closes, having said something or nothing, and holds no stop', async () => {
    const service = await listening();
    const [silent, spoken] = [await joined(service, over), await joined(service, over)];
    spoken.webSocket.send('ping');
    await once(spoken.webSocket, 'message');
    await expect(service.stop().stopped).resolves.toBe('drained');
    expect(await Promise.all([silent.ended, spoken.ended])).toEqual(['1001 shutting down', '1001 shutting down']);
  });

  it('gets all that was queued for it before its Close, once it reads on', async () => {
    const service = await listening();
    const { webSocket, ended, got } = await behind(service, over);
    const { stopped } = service.stop();
    webSocket.resume();
    expect(await ended).toBe('1001 shutting down');
    expect(got.bytes).toBe(FLOOD);
    await expect(stopped).resolves.toBe('drained');
  });

  it('that stops reading is dropped at the deadline, and what it was to get is cut', async () => {
    const service = await listening();
    const { webSocket, ended } = await behind(service, over);
    const { stopped } = service.stop();
    await service.clock.advance(2000);
    await expect(stopped).resolves.toBe('cut');
    webSocket.resume();
    expect(await ended).toBe('1006 ');
  });

  it.each([
    ['sent whole', '', half + rest],
    ['of which half was sent before', half, rest],
  ])('is refused with 503 after the gate has closed: an upgrade %s', async (_, before, after) => {
    const service = await listening();
    const { socket, all } = await open(portOf(service, over), cleanUp, over);
    socket.write(before);
    const other = await joined(service, over); // a whole exchange behind it
    service.gate.close();
    socket.write(after);
    const answer = await all;
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('Retry-After: 0');
    expect(await other.ended).toBe('1001 shutting down');
  });
});

describe('the WebSockets of the service', () => {
  it('closes the one that asks to be refused, and leaves the others alone', async () => {
    const service = await listening();
    const { webSocket, ended } = await joined(service);
    const other = await joined(service);
    webSocket.send('refuse');
    expect(await ended).toBe('1008 refused');
    expect(other.webSocket.readyState).toBe(WebSocket.OPEN);
  });

  it('are at one address only', async () => {
    const { transport } = await listening();
    const { socket, all } = await open(transport.port, cleanUp);
    socket.write(half.replace('/ws', '/other') + rest);
    expect(await all).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('are dropped when they do not answer their Close, long before the deadline', async () => {
    const service = await listening();
    const { until, all } = await mute(service);
    const { stopped } = service.stop();
    await until('shutting down');
    await expect(stopped).resolves.toBe('drained'); // the service’s clock stands still
    await all;
  });

  it('get all that was queued however late they read on', async () => {
    const service = await listening();
    const [{ all }, { webSocket, ended, got }] = [await mute(service), await behind(service)];
    const { stopped } = service.stop();
    await all; // the other one was given up
    webSocket.resume();
    expect(await ended).toBe('1001 shutting down');
    expect(got.bytes).toBe(FLOOD);
    await expect(stopped).resolves.toBe('drained');
  });

  it('are dropped at once by a second signal, and an unanswered Close is no lost work', async () => {
    const service = await listening();
    const { until, all } = await mute(service);
    const { context, stopped } = service.stop();
    await until('shutting down');
    context.collapse();
    await expect(stopped).resolves.toBe('drained');
    await all;
  });

  it('lose what is queued by a second signal, and that is said', async () => {
    const service = await listening();
    await behind(service);
    const { context, stopped } = service.stop();
    context.collapse();
    await expect(stopped).resolves.toBe('cut');
  });

  it('take no new work once the gate has closed', async () => {
    const service = await listening();
    const { webSocket, ended, got } = await behind(service);
    const { stopped } = service.stop();
    webSocket.send('ping'); // its Close is still behind what it has not read
    webSocket.resume();
    expect(await ended).toBe('1001 shutting down');
    expect(got.bytes).toBe(FLOOD);
    await expect(stopped).resolves.toBe('drained');
  });
});
