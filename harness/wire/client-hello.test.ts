import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { clientHello } from './client-hello.ts';
import { serviceCertificate, serviceKey } from './testing/certificate.ts';

it('the first message of a TLS handshake is one that a server answers with its hello, half of it is not', async () => {
  const server = createServer({ cert: serviceCertificate, key: serviceKey }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const hello = await clientHello({ address: '127.0.0.1', port, over: 'https', tls: { port, serverName: 'a.test' } });
  const socket = connect(port, '127.0.0.1');
  try {
    let answered = false;
    socket.on('data', () => (answered = true));
    const half = hello.length / 2;
    await new Promise((resolve) => socket.write(hello.subarray(0, half), resolve));
    expect(answered).toBe(false);
    socket.write(hello.subarray(half));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect([answer[0], answer[5]], 'a handshake record with a ServerHello').toEqual([22, 2]);
  } finally {
    socket.destroy();
    server.close();
  }
});
