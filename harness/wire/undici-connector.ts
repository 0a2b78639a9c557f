import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import type { Access } from './connection.ts';
import { tlsOptions } from './connection.ts';
import { dialDirectly } from './dial.ts';
import { dialTls } from './dial-tls.ts';

/** What undici's Client takes as `connect`, so that its connections to an access are made where that says. */
export function undiciConnector(access: Access, limitMs: number): buildConnector.connector {
  return (_options, done) => {
    const { address: host, port, tls, dial = dialDirectly } = access;
    const to = { host, port, noDelay: true };
    const socket: Socket = tls === undefined ? dial(to) : dialTls(dial, to, tlsOptions(access)).socket;
    const over = (): void => {
      clearTimeout(timer);
      socket.off('error', failed);
    };
    const failed = (error: Error): void => {
      over();
      socket.on('error', () => undefined); // it may fail again while it goes
      socket.destroy();
      done(error, null);
    };
    const timer = setTimeout(() => failed(new Error(`no connection within ${limitMs} ms`)), limitMs);
    socket.once('error', failed);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      over();
      done(null, socket);
    });
  };
}
