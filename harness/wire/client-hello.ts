import { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { connect } from 'node:tls';
import type { Access } from './connection.ts';
import { tlsOptions } from './connection.ts';

/** The first message of a real TLS handshake with this access, without anything being sent. */
export async function clientHello(access: Access): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const pipe = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      done();
      resolve(chunk);
    },
  });
  const socket = connect({ ...tlsOptions(access), socket: pipe } satisfies ConnectionOptions);
  socket.on('error', () => undefined); // the handshake never comes about
  const hello = await promise;
  socket.destroy();
  return hello;
}
