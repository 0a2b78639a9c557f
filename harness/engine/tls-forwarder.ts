import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createServer, isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { connect } from 'node:tls';
import type { Forwarder } from './engine-reach.ts';
import type { TlsMaterial } from './tls-material.ts';

const LAST_WORDS = 3;

/**
 * A private socket of this host whose connections are carried to `host:port` in TLS, so that whoever speaks to the
 * engine needs no certificates: dockerode, testcontainers and worker processes see a plain socket.
 */
export async function forwardTls(host: string, port: number, material: TlsMaterial): Promise<Forwarder> {
  const { verify, ...pem } = material;
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-tls-'));
  const socketPath = join(folder, 'engine.sock');
  const open = new Set<Socket>();
  const said: string[] = [];

  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  // Half-open: an attached input that ends must not end the output.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const options = { host, port, ...name, ...pem, rejectUnauthorized: verify, allowHalfOpen: true };
    const far = connect(options as ConnectionOptions);
    for (const socket of [near, far]) keep(socket);
    near.pipe(far).pipe(near);
    far.once('error', (error) => {
      said.splice(0, Math.max(0, said.length + 1 - LAST_WORDS));
      said.push(error.message);
      near.destroy();
    });
    near.once('error', () => far.destroy());
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  server.unref();
  return {
    endpoint: `unix://${socketPath}`,
    said: () => said.at(-1) ?? '',
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
