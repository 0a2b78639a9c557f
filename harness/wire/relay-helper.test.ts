import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { RelayFrame } from './relay-frames.ts';
import { addressOf, creditOf, encodeRelayFrame, RELAY_WINDOW, RelayFrameReader, relayType } from './relay-frames.ts';
import type { RelayProcess } from './testing/relay-process.suite.ts';
import { startHelper } from './testing/relay-process.suite.ts';

const host = '127.0.0.1';
const opened: { readonly children: RelayProcess[]; readonly servers: Server[]; readonly sockets: Socket[] } = {
  children: [],
  servers: [],
  sockets: [],
};
afterEach(() => {
  for (const child of opened.children.splice(0)) child.kill('SIGKILL');
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  for (const server of opened.servers.splice(0)) server.close();
});

/** A helper with one connection, frame by frame, and the other side of it. */
async function connected() {
  const child = await startHelper();
  opened.children.push(child);
  const server = createServer({ allowHalfOpen: true }).listen(0, host);
  opened.servers.push(server);
  await once(server, 'listening');
  const reader = new RelayFrameReader();
  const frames: RelayFrame[] = [];
  child.stdout.on('data', (chunk: Buffer) => frames.push(...reader.push(chunk)));
  const until = async (enough: () => boolean): Promise<void> => {
    while (!enough()) await once(child.stdout, 'data');
  };
  const send = (...said: readonly (readonly [number, Uint8Array?])[]): unknown =>
    child.stdin.write(Buffer.concat(said.map(([type, payload]) => encodeRelayFrame(1, type, payload))));
  const accepted = once(server, 'connection');
  send([relayType.open, addressOf(host, (server.address() as AddressInfo).port)]);
  const [socket] = (await accepted) as [Socket];
  opened.sockets.push(socket);
  const ofType = (type: number): readonly RelayFrame[] => frames.filter((frame) => frame.type === type);
  const bytes = (): number => ofType(relayType.data).reduce((sum, { payload }) => sum + payload.length, 0);
  const turn = async (): Promise<void> => {
    const pongs = ofType(relayType.pong).length;
    send([relayType.ping]);
    await until(() => ofType(relayType.pong).length > pongs);
  };
  return { socket, send, until, ofType, bytes, turn };
}

describe("the helper's relay", { timeout: 60_000 }, () => {
  it('reads no more than it has credit for', async () => {
    const { socket, send, until, bytes, turn } = await connected();
    socket.write(Buffer.alloc(RELAY_WINDOW + 1000));
    await until(() => bytes() === RELAY_WINDOW);
    await turn();
    expect(bytes()).toBe(RELAY_WINDOW);
    send([relayType.credit, creditOf(10)]);
    await until(() => bytes() > RELAY_WINDOW);
    await turn();
    expect(bytes()).toBe(RELAY_WINDOW + 10);
  });

  it('reads what came before a reset that a write would run into', async () => {
    const { socket, send, until, ofType, bytes } = await connected();
    socket.write(Buffer.alloc(RELAY_WINDOW));
    await until(() => bytes() === RELAY_WINDOW);
    await new Promise((resolve) => socket.write('the last words', resolve));
    socket.resetAndDestroy();
    await once(socket, 'close');
    send([relayType.credit, creditOf(RELAY_WINDOW)], [relayType.data, Buffer.from('x')]);
    await until(() => ofType(relayType.error).length > 0);
    expect(String(ofType(relayType.data).at(-1)?.payload)).toBe('the last words');
    expect(String(ofType(relayType.error)[0]?.payload)).toBe('wECONNRESET');
  });

  it('sends FIN behind everything that the kernel had not taken yet', async () => {
    const { socket, send, until, ofType, turn } = await connected();
    let sent = 0;
    const taken = (): number => ofType(relayType.credit).reduce((sum, { payload }) => sum + payload.readUInt32LE(0), 0);
    while (taken() === sent) {
      send([relayType.data, Buffer.alloc(RELAY_WINDOW, 'x')]);
      sent += RELAY_WINDOW;
      await turn();
    }
    send([relayType.fin]);
    await turn();
    expect((await buffer(socket)).length).toBe(sent);
    await until(() => taken() === sent);
  });

  it.each([
    ['a connection that is none any more', relayType.data],
    ['one that never was', relayType.fin],
    ['one that is closed already', relayType.close],
  ])('lets pass what comes for %s', async (_, type) => {
    const { send, until, ofType, turn } = await connected();
    send([relayType.close]);
    await until(() => ofType(relayType.closed).length === 1);
    send([type]);
    await turn();
    expect(ofType(relayType.error)).toEqual([]);
  });
});
