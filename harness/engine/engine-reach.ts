import { parseAddress } from './engine-address.ts';
import { forwardSsh } from './ssh-forwarder.ts';
import { forwardTls } from './tls-forwarder.ts';
import type { TlsMaterial } from './tls-material.ts';

/** A way to an engine that HTTP can be spoken through as it is. */
export interface Forwarder {
  /** `unix://` or plain `tcp://`. */
  readonly endpoint: string;
  /** Why a connection through it broke, as far as it knows; empty when it knows nothing. */
  said(): string | Promise<string>;
  /** Fine when already closed. */
  close(): Promise<void>;
}

/** What an address alone does not tell. */
export interface EngineAccess {
  readonly tls?: TlsMaterial;
  /** A key for ssh, beside those it finds itself. */
  readonly identityFile?: string;
}

/**
 * Opens the way to an engine: a unix socket and plain TCP are there already; TLS and ssh are forwarded to a private socket
 * of this host that lives until `close`. Throws EngineError.
 */
export async function reachEngine(
  address: string,
  access: EngineAccess = {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Forwarder> {
  const parsed = parseAddress(address, { tls: access.tls !== undefined });
  if (parsed.kind === 'ssh') {
    const { identityFile } = access;
    return await forwardSsh(address, parsed, { env, ...(identityFile === undefined ? {} : { identityFile }) });
  }
  if (parsed.kind === 'tcp' && access.tls !== undefined) return await forwardTls(parsed.host, parsed.port, access.tls);
  return { endpoint: address, said: () => '', close: async () => undefined };
}
