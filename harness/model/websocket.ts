import type { Nanoseconds } from './time.ts';

/** A message, and what answers it. */
export interface WebSocketExchange {
  /** A text message. */
  readonly send: string;
  /** Source of a regular expression that a message of the service matches. Absent: any message answers. */
  readonly answer?: string;
}

/** A declared route that takes a WebSocket, and what is spoken on it. */
export interface WebSocketEndpoint {
  readonly path: string;
  /** Asked for in `Sec-WebSocket-Protocol`. */
  readonly protocol?: string;
  /** Sent with the upgrade. Values reach the service only; histories store `<set>` (architecture rule 14). */
  readonly headers?: Readonly<Record<string, string>>;
  /** What makes the socket a registered one. Absent: the service knows no registration. */
  readonly register?: WebSocketExchange;
  /** A message that the service answers. Absent: a Ping, which is answered by a Pong. */
  readonly ask?: WebSocketExchange;
  /**
   * A message upon which the service sends so many bytes of messages at once: more than the sockets between hold, so that
   * frames are queued and one is being written.
   */
  readonly flood?: { readonly send: string; readonly bytes: number };
  /** A message upon which the service closes this one connection with a Close frame (WSS-7). */
  readonly refused?: { readonly send: string };
}

/** What a held WebSocket does until the signal and after it. */
export type WebSocketKind =
  /** Upgraded, registered where that is declared, answered once; then quiet. Answers a Close. */
  | 'idle'
  /** The same, and asks again and again. */
  | 'chatty'
  /** Upgraded, and has said nothing. */
  | 'unregistered'
  /** Like idle, and never answers a Close: the connection stays open on its side. */
  | 'never-closes'
  /** Has asked for a flood, and stops reading for good. */
  | 'stops-reading'
  /** Has asked for a flood, and reads nothing until `finish`; then all of it. */
  | 'backlog'
  /** Has sent half of an upgrade request; the rest is sent at `finish`. */
  | 'half-upgrade'
  /** Is being closed by the service for its own reasons at the signal (WSS-7). */
  | 'refused';

/** Said of a WebSocket that is held. */
export interface HeldWebSocket {
  readonly kind: WebSocketKind;
  readonly path: string;
  /** Whether it is registered; absent where no registration is declared. */
  readonly registered?: boolean;
  /** What the service was asked to send, bytes of messages (flood). */
  readonly owed?: number;
}

/** What was seen on a WebSocket until its end. */
export interface WebSocketEnd {
  /** A whole Close frame of the service: 1005 where it carries no code. */
  readonly close?: { readonly code: number; readonly reason: string; readonly t: Nanoseconds };
  /** Messages of the service since it was held, and their bytes. */
  readonly messages: number;
  readonly bytes: number;
  /** The connection ended in the middle of a frame. */
  readonly partialFrame?: true;
  /** What breaks RFC 6455. */
  readonly problem?: string;
}

/** An upgrade that was asked for after the signal (WSS-6): t is when its outcome was known, begin the connect. */
export interface UpgradeObservation {
  readonly kind: 'ws.upgrade';
  readonly id: string;
  /** On a new connection, or by completing a request that was half sent before the signal. */
  readonly via: 'new' | 'half-sent';
  readonly path: string;
  /** `upgraded`: answered 101. Else as of any request (architecture rule 10). */
  readonly outcome: 'upgraded' | 'answered' | 'refused' | 'reset' | 'hung';
  readonly status?: number;
  /** The whole request was written between these two. */
  readonly sentBegin?: Nanoseconds;
  readonly sentAt?: Nanoseconds;
  readonly answeredAt?: Nanoseconds;
  /** Upgraded: whether a message that was sent on it was answered. */
  readonly served?: boolean;
  /** Upgraded: how it ended, where it did. */
  readonly end?: WebSocketEnd & { readonly by?: 'FIN' | 'RST' | 'timeout'; readonly t: Nanoseconds };
  readonly message?: string;
}
