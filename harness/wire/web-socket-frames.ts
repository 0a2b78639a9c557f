import type { Writable } from 'node:stream';
import * as ws from 'ws';

/** The parser of the `ws` library, as a client uses it: frames in, messages out. Its types leave it out. */
export interface FrameReceiver {
  write(chunk: Buffer): boolean;
  on(event: 'message', listener: (data: Buffer, binary: boolean) => void): this;
  on(event: 'conclude', listener: (code: number, reason: Buffer) => void): this;
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): this;
  on(event: 'error', listener: (error: Error) => void): this;
}

/** The writer of the `ws` library. A client masks every frame (RFC 6455, 5.3). */
export interface FrameSender {
  send(data: string, options: { readonly binary: false; readonly fin: true; readonly mask: true }): void;
  ping(data: string, mask: true): void;
  pong(data: Buffer, mask: true): void;
  close(code: number | undefined, data: string, mask: true): void;
}

interface Parts {
  readonly Receiver: new (options: { readonly isServer: false; readonly maxPayload: number }) => FrameReceiver;
  readonly Sender: new (socket: Writable) => FrameSender;
}

const { Receiver, Sender } = ws as unknown as Parts;

/** Without extensions: none is asked for. A message of more than `mostBytes` is an error. */
export function frameReceiver(mostBytes: number): FrameReceiver {
  return new Receiver({ isServer: false, maxPayload: mostBytes });
}

export function frameSender(socket: Writable): FrameSender {
  return new Sender(socket);
}

/** Where the last byte that came lies: between two messages, or in the middle of one. */
export class FrameBoundary {
  #head: number[] = [];
  #left = 0;
  #fragments = false;

  /** No frame, and no message of several frames, is begun and not ended. */
  get isWhole(): boolean {
    return this.#head.length === 0 && this.#left === 0 && !this.#fragments;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left > 0) {
        const size = Math.min(this.#left, chunk.length - at);
        this.#left -= size;
        at += size;
      } else {
        this.#head.push(chunk[at] ?? 0);
        at += 1;
        this.#readHead();
      }
    }
  }

  #readHead(): void {
    const [first = 0, second] = this.#head;
    if (second === undefined) return;
    const short = second & 0x7f;
    const extended = short === 126 ? 2 : short === 127 ? 8 : 0;
    const mask = (second & 0x80) === 0 ? 0 : 4;
    if (this.#head.length < 2 + extended + mask) return;
    this.#left = extended === 0 ? short : this.#head.slice(2, 2 + extended).reduce((sum, byte) => sum * 256 + byte, 0);
    // control frames may come between the frames of a message
    if ((first & 0x0f) < 8) this.#fragments = (first & 0x80) === 0;
    this.#head = [];
  }
}
