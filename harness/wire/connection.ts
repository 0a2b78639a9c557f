import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { HarnessError } from '../model/errors.ts';
import { reasonOf } from '../model/network.ts';
import type { EndedBy } from '../model/observation.ts';
import type { TlsAccess } from '../model/target.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { Dial, DialTo } from './dial.ts';
import { dialDirectly } from './dial.ts';
import { dialTls } from './dial-tls.ts';
import { RELAY_LOST } from './relay-errors.ts';

/** One way in to the target: its own address, never a published port (architecture rule 10). */
export interface Access {
  readonly address: string;
  readonly port: number;
  readonly over: 'http' | 'https' | 'h2' | 'tcp';
  /** Present where it is TLS. */
  readonly tls?: TlsAccess;
  /** How connections are made there. @default dialDirectly */
  readonly dial?: Dial;
}

/** A connection that stands, or why it does not. */
export type Connected =
  | { readonly socket: Socket; readonly begin: Nanoseconds; readonly connectedAt: Nanoseconds }
  | {
      readonly socket?: undefined;
      readonly begin: Nanoseconds;
      readonly t: Nanoseconds;
      readonly outcome: 'refused' | 'reset' | 'hung';
      readonly message: string;
    };

/**
 * What node:tls needs to reach an access: its CA, or no verification where none is given. Without a server name only the
 * chain is verified: no certificate names the address that an engine gives to a container.
 */
export function tlsOptions(access: Access): {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly servername?: string;
  readonly checkServerIdentity?: () => undefined;
  readonly ALPNProtocols: string[];
} {
  const { ca, serverName } = access.tls ?? {};
  return {
    rejectUnauthorized: ca !== undefined,
    ALPNProtocols: [access.over === 'h2' ? 'h2' : 'http/1.1'],
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? { checkServerIdentity: () => undefined } : { servername: serverName }),
  };
}

/** What this host lacks to connect at all: says nothing about the other side. */
const OURS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EADDRNOTAVAIL',
  'EPERM',
  'EACCES',
  RELAY_LOST,
]);
/** Nobody answered, be it that a router said so. */
const NOBODY: ReadonlySet<string> = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);

/** What a failed connect says about the other side; `ours` where the reason is on this host. */
export function connectFailure(error: NodeJS.ErrnoException): 'refused' | 'reset' | 'hung' | 'ours' {
  const code = error.code ?? '';
  if (code === 'ECONNREFUSED') return 'refused';
  if (OURS.has(code)) return 'ours';
  return NOBODY.has(code) ? 'hung' : 'reset';
}

/** What OpenSSL and node:tls say when our verification does not accept the certificate: the service did nothing wrong. */
const NOT_ACCEPTED = /CERT|SELF_SIGNED|ISSUER|VERIFY|INVALID_CA|CRL/;

function saidOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined || !NOT_ACCEPTED.test(code) || code.startsWith('ERR_SSL_')) return code ?? message;
  return `its certificate is not accepted: ${code}; the ca or serverName is not right`;
}

function openSocket(access: Access, to: DialTo): Socket {
  const { tls, dial } = access;
  if (tls === undefined) return (dial ?? dialDirectly)(to);
  return dial ? dialTls(dial, to, tlsOptions(access)).socket : connectTls({ ...to, ...tlsOptions(access) });
}

/**
 * Connect, with TLS where the access has it, at most `limitMs`. Nagle is off: what is written is sent. The caller owns
 * the socket, and its errors from here on. A TLS handshake that fails, also by our verification, is `reset` with the
 * reason. Rejects with HarnessError where this host cannot connect to anything (no descriptors, no ports): that must not be
 * taken for an outcome.
 */
export async function openConnection(
  access: Access,
  options: { readonly limitMs: number; readonly now: () => Nanoseconds; readonly halfOpen?: boolean },
): Promise<Connected> {
  const { now } = options;
  const begin = now();
  const to = { host: access.address, port: access.port, noDelay: true, allowHalfOpen: options.halfOpen ?? false };
  const socket = openSocket(access, to);
  return await new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('error', errored);
      socket.off('close', closed);
      socket.off(stands, connected);
      socket.on('error', () => undefined); // it may fail again while it goes; listeners of the caller come besides
    };
    const failed = (outcome: 'refused' | 'reset' | 'hung', message: string): void => {
      done();
      socket.destroy();
      resolve({ begin, t: now(), outcome, message });
    };
    const errored = (error: NodeJS.ErrnoException): void => {
      const outcome = connectFailure(error);
      if (outcome === 'ours') {
        done();
        reject(new HarnessError(`this host cannot connect: ${reasonOf(error)}`, { cause: error }));
      } else failed(outcome, saidOf(error));
    };
    const closed = (): void => failed('reset', 'closed before it stood');
    const connected = (): void => {
      done();
      resolve({ socket, begin, connectedAt: now() });
    };
    const stands = access.tls === undefined ? 'connect' : 'secureConnect';
    const timer = setTimeout(() => failed('hung', `no connection within ${options.limitMs} ms`), options.limitMs);
    socket.once('error', errored);
    socket.once('close', closed);
    socket.once(stands, connected);
  });
}

/** How a connection ended, from the error its socket had: none is an orderly end. */
export function endedBy(error: Error | undefined): EndedBy {
  if (error === undefined) return 'FIN';
  return (error as NodeJS.ErrnoException).code === 'ETIMEDOUT' ? 'timeout' : 'RST';
}

/** The head of an HTTP/1.1 request, with the empty line. Headers come in the order given. */
export function requestHead(
  access: Access,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const host = access.address.includes(':') ? `[${access.address}]` : access.address;
  const lines = Object.entries({ host: `${access.tls?.serverName ?? host}:${access.port}`, ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
