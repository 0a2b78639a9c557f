import type { Socket } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import type { Dial, DialTo } from './dial.ts';

/**
 * TLS over a dialled connection, with the events of a TLS connection that node:tls makes itself; `connect` comes from the
 * `dialled` one. That is half-open whatever is asked for, since TLS has something to say after the other side's FIN: who
 * writes there and not the reader of the bare connection decides whether that ends ours.
 */
export function dialTls(
  dial: Dial,
  to: DialTo,
  options: ConnectionOptions,
): { readonly socket: TLSSocket; readonly dialled: Socket } {
  const dialled = dial({ ...to, allowHalfOpen: true });
  const socket = connect({ ...options, socket: dialled });
  socket.allowHalfOpen = to.allowHalfOpen ?? false;
  return { socket, dialled };
}
