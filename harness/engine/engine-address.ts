import { EngineError } from '../model/errors.ts';

/** Where an engine listens, as node:http takes it. */
export type EngineEndpoint =
  | { readonly kind: 'unix'; readonly socketPath: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** Where an engine is, in the words of its user. */
export type EngineAddress =
  | EngineEndpoint
  | {
      readonly kind: 'ssh';
      /** `host` or `user@host`, as ssh takes it. */
      readonly destination: string;
      readonly port?: number;
      /** The engine's socket on that host. */
      readonly socketPath: string;
    };

/** Port of an engine's API without TLS where the address names none; with TLS it is the other. */
const DEFAULT_PORT = 2375;
const DEFAULT_TLS_PORT = 2376;
const REMOTE_SOCKET = '/var/run/docker.sock';

/**
 * Parses `unix:///path`, `tcp://host:port` and `ssh://[user@]host[:port][/path]`; anything else (`npipe://`) is an
 * EngineError. Without a path ssh means Docker's socket. `tls` decides only the port where none is named.
 */
export function parseAddress(address: string, options: { readonly tls?: boolean } = {}): EngineAddress {
  if (address.startsWith('unix://')) {
    const socketPath = address.slice('unix://'.length);
    if (!socketPath.startsWith('/')) {
      throw new EngineError(`engine address ${address} names no socket: use unix:///path/to/socket`);
    }
    return { kind: 'unix', socketPath };
  }
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1];
  if (scheme !== 'tcp' && scheme !== 'ssh') {
    throw new EngineError(
      scheme
        ? `engine address ${address}: ${scheme}:// is not supported: use unix://, tcp:// or ssh://`
        : `engine address ${address} has no scheme: use unix:///path/to/socket, tcp://host:port or ssh://user@host`,
    );
  }
  return scheme === 'tcp' ? parseTcp(address, options.tls === true) : parseSsh(address);
}

function parseTcp(address: string, tls: boolean): EngineAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url?.hostname) throw new EngineError(`engine address ${address} cannot be read: use tcp://host:port`);
  const port = url.port ? Number(url.port) : tls ? DEFAULT_TLS_PORT : DEFAULT_PORT;
  return { kind: 'tcp', host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

function parseSsh(address: string): EngineAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  // What begins with a dash would be an option of ssh.
  if (!url || host === '' || /^-/.test(host) || /^-/.test(decodeURIComponent(url.username))) {
    throw new EngineError(
      `engine address ${address} cannot be read: use ssh://user@host or ssh://user@host:port/path/to/socket`,
    );
  }
  if (url.password) {
    throw new EngineError('engine address ssh://…: a password in the address is not used; use a key or an ssh agent');
  }
  const user = decodeURIComponent(url.username);
  return {
    kind: 'ssh',
    destination: user === '' ? host : `${user}@${host}`,
    ...(url.port ? { port: Number(url.port) } : {}),
    socketPath: url.pathname === '' || url.pathname === '/' ? REMOTE_SOCKET : decodeURIComponent(url.pathname),
  };
}

/** The address of something that HTTP can be spoken to as it is. Throws EngineError for what must be forwarded first. */
export function parseEndpoint(address: string): EngineEndpoint {
  const parsed = parseAddress(address);
  if (parsed.kind !== 'ssh') return parsed;
  throw new EngineError(
    `engine address ${address}: ssh is forwarded to a socket of this host before an engine is spoken to`,
  );
}
