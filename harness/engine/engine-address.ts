import { EngineError } from '../model/errors.ts';

/** Where an engine listens, as node:http takes it. */
export type EngineAddress =
  | { readonly kind: 'unix'; readonly socketPath: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** Port of an engine's API without TLS where the address names none. */
const DEFAULT_PORT = 2375;

/** Parses `unix:///path` and `tcp://host:port`; anything else (`ssh://`, `npipe://`) is an EngineError. */
export function parseAddress(address: string): EngineAddress {
  if (address.startsWith('unix://')) {
    const socketPath = address.slice('unix://'.length);
    if (!socketPath.startsWith('/')) {
      throw new EngineError(`engine address ${address} names no socket: use unix:///path/to/socket`);
    }
    return { kind: 'unix', socketPath };
  }
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1];
  if (scheme !== 'tcp') {
    throw new EngineError(
      scheme
        ? `engine address ${address}: ${scheme}:// is not supported yet: use unix:// or tcp://`
        : `engine address ${address} has no scheme: use unix:///path/to/socket or tcp://host:port`,
    );
  }
  if (!URL.canParse(address)) throw new EngineError(`engine address ${address} cannot be read: use tcp://host:port`);
  const url = new URL(address);
  return { kind: 'tcp', host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port ? Number(url.port) : DEFAULT_PORT };
}
