import type { WebSocket } from 'ws';

/** Service Restart, of the registry of RFC 6455: come back to the instance that follows. */
const RESTART = 1012;
const RESTART_REASON = 'control plane shutting down';

/** One WebSocket of a runtime: a queue of what it is sent, written frame by frame, and at most one Close behind it. */
export class Peer {
  registered = false;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
  protected readonly socket: WebSocket;
  protected readonly queue: string[] = [];
  protected closing: { readonly code: number; readonly reason: string } | undefined;
  #writing = false;

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    // 'close' follows it, and is all that matters here
    socket.on('error', () => undefined);
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  send(text: string): void {
    this.queue.push(text);
    void this.#flush();
  }

  /** A Close once everything queued is written. The first one asked for is the one that is sent, whole (WSS-7). */
  close(code: number, reason: string): void {
    this.closing ??= { code, reason };
    void this.#flush();
  }

  /** The Close that every peer gets when the process stops, registered or not. */
  leave(): void {
    this.close(RESTART, RESTART_REASON);
  }

  /** The drain is over: the connection goes, whatever it still owes. */
  drop(): void {
    this.socket.terminate();
  }

  async #flush(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    for (let text = this.queue.shift(); text !== undefined; text = this.queue.shift()) await this.#write(text);
    this.#writing = false;
    if (this.closing) this.socket.close(this.closing.code, this.closing.reason);
  }

  /** Resolves when the frame is handed to the kernel, or cannot be any more. */
  #write(text: string): Promise<void> {
    return new Promise((resolve) => this.socket.send(text, () => resolve()));
  }
}
