import type { MessagePort } from 'node:worker_threads';
import { MessageChannel } from 'node:worker_threads';
import { HarnessError } from '../model/errors.ts';
import type { RelayHello } from './relay-end.ts';
import { MOST_RANGES, rangeOf } from './relay-end.ts';
import type { RelayFrame } from './relay-frames.ts';
import { encodeRelayFrame, relayType } from './relay-frames.ts';

/** What the thread with the streams says; frames go both ways as bare bytes, transferred. */
export type Said = { readonly hello: RelayHello; readonly range: number } | { readonly lost: string } | Uint8Array;

interface Share {
  readonly port: MessagePort;
  /** Connections that the helper has for it. */
  readonly open: Set<number>;
}

/** Frames after which the helper has the connection no longer. */
const LAST: ReadonlySet<number> = new Set([relayType.failed, relayType.error, relayType.closed]);

/** The other threads that use a relay, in the thread that has its streams. */
export class RelayShares {
  readonly #send: (frame: Buffer) => void;
  readonly #shares = new Map<number, Share>();
  #ranges = 0; // 0 is this thread's
  #lost: string | undefined;
  readonly #told: Uint8Array[] = [];

  constructor(send: (frame: Buffer) => void) {
    this.#send = send;
  }

  /** The port for one more thread. What it leaves open when it goes is closed. */
  add(hello: RelayHello): MessagePort {
    const { port1: port, port2 } = new MessageChannel();
    this.#ranges += 1;
    const range = this.#ranges;
    if (range >= MOST_RANGES) throw new HarnessError(`more than ${MOST_RANGES - 1} threads share one relay`);
    say(port, { hello, range });
    for (const whole of this.#told) say(port, Uint8Array.from(whole));
    if (this.#lost !== undefined) {
      say(port, { lost: this.#lost });
      port.close();
      return port2;
    }
    const share = { port, open: new Set<number>() };
    this.#shares.set(range, share);
    port.on('message', (bytes: Uint8Array<ArrayBuffer>) => {
      const frame = Buffer.from(bytes.buffer);
      if (frame.readUInt8(4) === relayType.open) share.open.add(frame.readUInt32LE(0));
      if (this.#lost === undefined) this.#send(frame);
    });
    port.on('close', () => {
      this.#shares.delete(range);
      if (this.#lost !== undefined) return;
      for (const id of share.open) this.#send(encodeRelayFrame(id, relayType.close));
    });
    port.unref();
    return port2;
  }

  /** Whether the frame is another thread's; then it is on its way. */
  take({ id, type, whole }: RelayFrame): boolean {
    const range = rangeOf(id);
    if (range === 0) return false;
    const share = this.#shares.get(range);
    if (LAST.has(type)) share?.open.delete(id);
    if (share) say(share.port, Uint8Array.from(whole));
    return true;
  }

  /** For every other thread, also for one that comes later. */
  tell({ whole }: RelayFrame): void {
    this.#told.push(Uint8Array.from(whole));
    for (const { port } of this.#shares.values()) say(port, Uint8Array.from(whole));
  }

  lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    for (const { port } of this.#shares.values()) {
      say(port, { lost: reason });
      port.close();
    }
  }
}

/** Bytes are transferred, so they are gone here. */
export function say(port: MessagePort, message: Said): void {
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer as ArrayBuffer] : []);
}
