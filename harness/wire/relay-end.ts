import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { HarnessError } from '../model/errors.ts';
import type { Dial, DialTo } from './dial.ts';
import { relayLost, systemError } from './relay-errors.ts';
import type { RelayFrame } from './relay-frames.ts';
import { encodeRelayFrame, relayType } from './relay-frames.ts';
import type { RelayCarrier } from './relay-socket.ts';
import { RelaySocket } from './relay-socket.ts';

/** What the helper says of itself and its host when it begins. */
export interface RelayHello {
  readonly version: number;
  /** CLOCK_MONOTONIC and CLOCK_REALTIME of its host at one moment, ns. */
  readonly monotonic: bigint;
  readonly realtime: bigint;
  /** Of the kernel that it runs on; empty where it cannot be read. */
  readonly bootId: string;
  /** Why it watches no target; empty where it does. */
  readonly unwatched: string;
}

/** The end of the target's PID 1 as its pidfd showed it, by the CLOCK_MONOTONIC of the helper's host, ns. */
export interface TargetEnd {
  readonly alive: bigint;
  readonly gone: bigint;
}

/** The helper's CLOCK_MONOTONIC minus process.hrtime, and by how much that may be wrong either way, ns. */
export interface RelayOffset {
  readonly offsetNs: bigint;
  readonly errorNs: bigint;
}

/** TCP connections that are made where the helper runs, as one thread has them. */
export interface ThreadRelay {
  readonly hello: RelayHello;
  /** Whether it runs on the kernel that this process runs on. */
  readonly sameKernel: boolean;
  /** Connects there, by IP address; throws HarnessError for a host name. The sockets are `RelaySocket`s. */
  readonly dial: Dial;
  /** From the fastest of some round trips; exactly 0 with error 0 on the same kernel. Rejects with ERELAYLOST. */
  ping(): Promise<RelayOffset>;
  /** Set once the target has ended, before anything that was seen after it is delivered. Never set where none is watched. */
  readonly gone: TargetEnd | undefined;
  /** Ends it; connections that still stand end with ERELAYLOST. */
  close(): void;
  /** Resolves when the relay has ended, whether by `close` or lost. Never rejects. */
  readonly closed: Promise<void>;
}

const ROUND_TRIPS = 8;
/** The ids of one thread; the rest of their 32 bits says which thread. */
const IDS = 2 ** 24;
export const MOST_RANGES = 2 ** 8;

/** Which of the threads that share a relay has this connection. */
export function rangeOf(id: number): number {
  return Math.floor(id / IDS);
}

/** What carries the frames of one thread. */
export interface RelayLink {
  send(frame: Buffer): void;
  close(): void;
}

/** The relay as one thread has it: its connections and what comes for them. */
export class RelayEnd implements ThreadRelay, RelayCarrier {
  readonly hello: RelayHello;
  readonly sameKernel: boolean;
  readonly closed: Promise<void>;
  readonly ended: Promise<TargetEnd>;
  gone: TargetEnd | undefined;
  readonly #end = Promise.withResolvers<TargetEnd>();
  readonly #listeners = new Map<number, (socket: RelaySocket) => void>();
  readonly #ports = new Map<number, { resolve(port: number): void; reject(error: Error): void }>();
  readonly #link: RelayLink;
  readonly #sockets = new Map<number, RelaySocket>();
  readonly #pings = new Map<number, { resolve(pong: bigint): void; reject(error: Error): void }>();
  readonly #settleClosed: () => void;
  #nextId: number;
  readonly #lastId: number;
  #lost: string | undefined;

  constructor(hello: RelayHello, link: RelayLink, range: number) {
    this.hello = hello;
    this.sameKernel = hello.bootId !== '' && hello.bootId === ownBootId();
    this.#link = link;
    this.#nextId = range * IDS + 1; // 0 is nobody's
    this.#lastId = (range + 1) * IDS - 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.ended = this.#end.promise;
    this.ended.catch(() => undefined); // whoever waits for it sees it; nobody waiting is fine
    this.#settleClosed = resolve;
  }

  readonly dial: Dial = (to) => {
    if (isIP(to.host) === 0) throw new HarnessError(`a relay connects to IP addresses only, not to ${to.host}`);
    const socket = this.#open(relayType.open, to);
    // It has everything of a Socket that is used here; a Socket itself cannot be without a descriptor of this process.
    return socket as unknown as Socket;
  };

  /** What the helper's `snapshot PID tree` says of the target. Rejects where there is none, and with ERELAYLOST. */
  async snapshot(): Promise<string> {
    const socket = this.#open(relayType.snapshot);
    socket.on('error', () => undefined); // once all is read nobody listens, and the relay may be lost before it is closed
    return await text(socket);
  }

  /** Listens where the helper runs, on a port of its choice of all addresses; tells of every caller. */
  async listen(onConnection: (socket: Socket) => void): Promise<number> {
    if (this.#lost !== undefined) throw relayLost(this.#lost);
    const id = this.#newId();
    this.#listeners.set(id, (socket) => onConnection(socket as unknown as Socket));
    return await new Promise((resolve, reject) => {
      this.#ports.set(id, { resolve, reject });
      this.send(id, relayType.listen);
    });
  }

  /** One round trip. Rejects with ERELAYLOST. */
  async beat(): Promise<void> {
    await this.#roundTrip();
  }

  async ping(): Promise<RelayOffset> {
    let best: RelayOffset | undefined;
    for (let round = 0; round < ROUND_TRIPS; round += 1) {
      const begin = process.hrtime.bigint();
      const { there, end } = await this.#roundTrip();
      const errorNs = (end - begin + 1n) / 2n;
      if (best === undefined || errorNs < best.errorNs) best = { offsetNs: there - (begin + end) / 2n, errorNs };
    }
    if (best === undefined) throw new HarnessError('no round trip through the relay');
    // One kernel has one such clock, unless somebody has given a container a time namespace of its own.
    const same = this.sameKernel && abs(best.offsetNs) <= best.errorNs;
    return same ? { offsetNs: 0n, errorNs: 0n } : best;
  }

  close(): void {
    this.lose('the relay was closed');
    this.#link.close();
  }

  send(id: number, type: number, payload?: Uint8Array): void {
    if (this.#lost === undefined) this.#link.send(encodeRelayFrame(id, type, payload));
  }

  release(id: number): void {
    this.#sockets.delete(id);
  }

  /** A frame for this thread. */
  take(frame: RelayFrame): void {
    const { id, type, stamp, payload } = frame;
    this.#sockets.get(id)?.receive(frame);
    if (type === relayType.pong) {
      this.#pings.get(id)?.resolve(stamp);
      this.#pings.delete(id);
    } else if (type === relayType.gone) {
      this.gone = { alive: payload.readBigInt64LE(0), gone: stamp };
      this.#end.resolve(this.gone);
    } else if (type === relayType.listening) this.#ports.get(id)?.resolve(payload.readUInt16LE(0));
    else if (type === relayType.failed) {
      this.#ports.get(id)?.reject(systemError('listen', payload.toString('latin1', 8)));
    } else if (type === relayType.accepted) this.#accepted(id, payload);
  }

  /** Nothing goes to or comes from the helper any more. The first reason is the one that counts. */
  lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    for (const socket of [...this.#sockets.values()]) socket.lose(reason);
    for (const { reject } of [...this.#pings.values(), ...this.#ports.values()]) reject(relayLost(reason));
    this.#end.reject(relayLost(reason));
  }

  /** Nothing will come any more. */
  over(): void {
    this.#settleClosed();
  }

  async #roundTrip(): Promise<{ readonly there: bigint; readonly end: bigint }> {
    if (this.#lost !== undefined) throw relayLost(this.#lost);
    const id = this.#newId();
    return await new Promise((resolve, reject) => {
      this.#pings.set(id, { resolve: (there) => resolve({ there, end: process.hrtime.bigint() }), reject });
      this.send(id, relayType.ping);
    });
  }

  #open(begin: number, to: DialTo = { host: '', port: 0 }): RelaySocket {
    const id = this.#newId();
    const socket = new RelaySocket(this, id, to, begin);
    this.#sockets.set(id, socket);
    const lost = this.#lost;
    if (lost !== undefined) process.nextTick(() => socket.lose(lost));
    return socket;
  }

  #accepted(listener: number, payload: Buffer): void {
    const from = { host: payload.toString('latin1', 6), port: payload.readUInt16LE(4), allowHalfOpen: true };
    const id = payload.readUInt32LE(0);
    const socket = new RelaySocket(this, id, from, null);
    this.#sockets.set(id, socket);
    this.#listeners.get(listener)?.(socket);
  }

  #newId(): number {
    if (this.#nextId > this.#lastId) throw new HarnessError(`more than ${IDS} connections through one relay`);
    const id = this.#nextId;
    this.#nextId += 1;
    return id;
  }
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function ownBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return ''; // not Linux: no helper runs on this kernel
  }
}
