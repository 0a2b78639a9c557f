import { EventEmitter } from 'node:events';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listenWhenThere } from './listen-when-there.ts';

/** A server whose address is not there for the first `missing` times. */
function lateAddress(missing: number, code = 'EADDRNOTAVAIL') {
  let tries = 0;
  const server = new EventEmitter() as EventEmitter & { listen: unknown; address: unknown };
  server.listen = () => {
    tries += 1;
    const there = tries > missing;
    setImmediate(() =>
      there ? server.emit('listening') : server.emit('error', Object.assign(new Error(code), { code })),
    );
  };
  server.address = () => ({ port: 4711 });
  return { server: server as unknown as Server, tries: () => tries, listeners: () => server.listenerCount('error') };
}

it('waits for an address that comes into being', async () => {
  const { server, tries, listeners } = lateAddress(3);
  expect(await listenWhenThere(server, '10.89.0.1')).toBe(4711);
  expect(tries()).toBe(4);
  expect(listeners()).toBe(0);
});

it('gives up an address that never comes, and names it', async () => {
  // 203.0.113.0/24 is for documents: no host has it.
  await expect(listenWhenThere(createServer(), '203.0.113.77', 30)).rejects.toThrow(
    '203.0.113.77 is no address of this host, also after 30 ms: nothing can listen there',
  );
});

it('does not wait out another error', async () => {
  const { server, tries } = lateAddress(1, 'EACCES');
  await expect(listenWhenThere(server, '10.89.0.1')).rejects.toMatchObject({ code: 'EACCES' });
  expect(tries()).toBe(1);
});
