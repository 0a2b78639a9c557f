/** Bytes that may be under way on one connection, each way; also the longest payload. As in helper/relay.c. */
export const RELAY_WINDOW = 65_536;
/** Version of the frames, which the helper's HELLO names. */
export const RELAY_PROTOCOL = 1;
const HEADER_BYTES = 17;

/** The first eight go to the helper; DATA, FIN and CREDIT go both ways. As in helper/relay.c. */
export const relayType = {
  open: 1,
  data: 2,
  fin: 3,
  reset: 4,
  close: 5,
  credit: 6,
  ping: 7,
  quit: 8,
  hello: 9,
  opened: 10,
  failed: 11,
  error: 12,
  pong: 13,
  closed: 14,
  gone: 15,
  snapshot: 16,
  listen: 17,
  listening: 18,
  accepted: 19,
} as const;

export interface RelayFrame {
  /** The connection; 0 for what concerns none. */
  readonly id: number;
  readonly type: number;
  /** CLOCK_MONOTONIC of the helper's host at what it tells, ns; 0 in a frame of ours. */
  readonly stamp: bigint;
  readonly payload: Buffer;
  /** Header and payload as they came. */
  readonly whole: Buffer;
}

/** One frame to the helper. */
export function encodeRelayFrame(id: number, type: number, payload: Uint8Array = new Uint8Array()): Buffer {
  const frame = Buffer.from(new ArrayBuffer(HEADER_BYTES + payload.length)); // of its own, to be transferred
  frame.writeUInt32LE(id, 0);
  frame.writeUInt8(type, 4);
  frame.writeUInt32LE(payload.length, 5);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** A count of bytes, as CREDIT carries it. */
export function creditOf(bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32LE(bytes);
  return payload;
}

/** Where to connect to, as OPEN carries it. */
export function addressOf(host: string, port: number): Buffer {
  const payload = Buffer.alloc(2 + host.length);
  payload.writeUInt16LE(port);
  payload.write(host, 2, 'latin1');
  return payload;
}

/** Cuts a stream of bytes into frames. Throws where it makes no sense: then there is no helper at the other end. */
export class RelayFrameReader {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly RelayFrame[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: RelayFrame[] = [];
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const type = bytes.readUInt8(at + 4);
      const length = bytes.readUInt32LE(at + 5);
      if (type === 0 || type > relayType.accepted || length > RELAY_WINDOW) {
        throw new Error(`a frame of type ${type} with ${length} bytes is none of the relay's`);
      }
      const end = at + HEADER_BYTES + length;
      if (end > bytes.length) break;
      frames.push({
        id: bytes.readUInt32LE(at),
        type,
        stamp: bytes.readBigInt64LE(at + 9),
        payload: bytes.subarray(at + HEADER_BYTES, end),
        whole: bytes.subarray(at, end),
      });
      at = end;
    }
    this.#rest = bytes.subarray(at);
    return frames;
  }
}
