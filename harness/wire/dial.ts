import type { Socket } from 'node:net';
import { connect } from 'node:net';

/** Where to connect to. */
export interface DialTo {
  readonly host: string;
  readonly port: number;
  /** Nothing waits for more to be sent. */
  readonly noDelay?: boolean;
  /** The other side's FIN does not end ours. */
  readonly allowHalfOpen?: boolean;
}

/**
 * Makes a TCP connection from a vantage point: at once, with the socket's `connect`, `data`, `end`, `error` (with the
 * system's code) and `close` events as node:net has them. Through a sidecar it is no descriptor of this process.
 */
export type Dial = (to: DialTo) => Socket;

/** From this process. */
export const dialDirectly: Dial = (to) => connect(to);
