import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';

/** A certificate that signs itself, for 127.0.0.1, and its key: of server, client and authority at once, worth nothing elsewhere. */
export const loopbackCertificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUckmaMs6dW9CNoQ5atvuGLABJ7pAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEzMDIwMjEyOVoYDzIxMjYxMTA2
MjAyMTI5WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQWgM+GuhYn9Q875mCPXi0wa4hjN2Nv5Jodik7AdfyCLFwyuZJ+7025
ydXDBb+OA2dOJwdYvhfYYjLV4g91aqv/o28wbTAdBgNVHQ4EFgQUDvBCxdsElMGu
3m2ffmoaVmPT2cAwHwYDVR0jBBgwFoAUDvBCxdsElMGu3m2ffmoaVmPT2cAwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSAAwRQIgXzieOoNtvLmU2taurWUMCVRYrZf7+Va54EDkv6kAMowCIQDr
vp/1efwbsKAi7buR2+awTS/AwRMZ6nQLQyyWZ20u4g==
-----END CERTIFICATE-----
`;

export const loopbackKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgu6qoZgM4OI/yH3YV
/9NEHdVvJz/NrkxsXWBuTdHFUlahRANCAAQWgM+GuhYn9Q875mCPXi0wa4hjN2Nv
5Jodik7AdfyCLFwyuZJ+7025ydXDBb+OA2dOJwdYvhfYYjLV4g91aqv/
-----END PRIVATE KEY-----
`;

/** What a remote daemon looks like: a port of this host behind which an engine's socket is. */
export interface RemoteEngine {
  readonly port: number;
  /** `tcp://127.0.0.1:port` */
  readonly address: string;
  close(): Promise<void>;
}

/** Without TLS. */
export async function engineOverTcp(socketPath: string): Promise<RemoteEngine> {
  return await serve((carry) => createServer({ allowHalfOpen: true }, carry), socketPath);
}

/** With TLS, for clients with the certificate only. */
export async function engineOverTls(socketPath: string): Promise<RemoteEngine> {
  const options = {
    cert: loopbackCertificate,
    key: loopbackKey,
    ca: loopbackCertificate,
    requestCert: true,
    rejectUnauthorized: true,
    allowHalfOpen: true,
  };
  return await serve((carry) => createTlsServer(options as TlsOptions, carry), socketPath);
}

/** The client's files as Docker's command line wants them. */
export async function writeCertificates(
  folder: string,
  files: Readonly<Record<string, string>> = {
    'ca.pem': loopbackCertificate,
    'cert.pem': loopbackCertificate,
    'key.pem': loopbackKey,
  },
): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

async function serve(create: (carry: (near: Socket) => void) => Server, socketPath: string): Promise<RemoteEngine> {
  const open = new Set<Socket>();
  const server = create((near) => {
    const far = connect({ path: socketPath, allowHalfOpen: true });
    for (const socket of [near, far]) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      socket.once('error', () => undefined);
    }
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  // Behind a TLS server that is what comes in, also where no TLS comes of it.
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    address: `tcp://127.0.0.1:${port}`,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
