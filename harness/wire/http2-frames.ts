/* RFC 9113, section 4 and 6: the framing of HTTP/2, without any behaviour. */

export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const errorCode = { none: 0, protocol: 1, refusedStream: 7, cancel: 8 } as const;

export const clientPreface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** What a peer may send in one frame while it was not told otherwise. */
const MOST_PAYLOAD_BYTES = 16_384;
const HEAD_BYTES = 9;
const HIGHEST_STREAM = 0x7fff_ffff;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function encodeFrame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.of()): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A payload of 32-bit numbers: RST_STREAM, WINDOW_UPDATE, GOAWAY. */
export function words(...numbers: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * numbers.length);
  for (const [index, number] of numbers.entries()) payload.writeUInt32BE(number, 4 * index);
  return payload;
}

/** A SETTINGS payload: pairs of identifier and value. */
export function encodeSettings(settings: readonly (readonly [identifier: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [index, [identifier, value]] of settings.entries()) {
    payload.writeUInt16BE(identifier, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return payload;
}

export function decodeSettings(payload: Buffer): ReadonlyMap<number, number> {
  const settings = new Map<number, number>();
  for (let at = 0; at + 6 <= payload.length; at += 6)
    settings.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
  return settings;
}

/** Last stream and error code of a GOAWAY. */
export function decodeGoaway(payload: Buffer): { readonly lastStream: number; readonly code: number } | undefined {
  if (payload.length < 8) return undefined;
  return { lastStream: payload.readUInt32BE(0) & HIGHEST_STREAM, code: payload.readUInt32BE(4) };
}

/** DATA or HEADERS without its padding and priority; undefined where they do not fit. */
export function contentOf({ type, flags, payload }: Frame): Buffer | undefined {
  const padded = (flags & frameFlag.padded) !== 0;
  const padding = padded ? (payload[0] ?? 0) : 0;
  const priority = type === frameType.headers && (flags & frameFlag.priority) !== 0 ? 5 : 0;
  const begin = (padded ? 1 : 0) + priority;
  const end = payload.length - padding;
  return end < begin ? undefined : payload.subarray(begin, end);
}

/** Cuts what comes off a connection into frames. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0);
  #problem: string | undefined;

  /** Why what came is not HTTP/2. */
  get problem(): string | undefined {
    return this.#problem;
  }

  push(chunk: Buffer): readonly Frame[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const frames: Frame[] = [];
    while (this.#problem === undefined && this.#pending.length >= HEAD_BYTES) {
      const length = this.#pending.readUIntBE(0, 3);
      if (length > MOST_PAYLOAD_BYTES) this.#problem = `a frame of ${length} bytes`;
      else if (this.#pending.length < HEAD_BYTES + length) break;
      else {
        frames.push({
          type: this.#pending.readUInt8(3),
          flags: this.#pending.readUInt8(4),
          stream: this.#pending.readUInt32BE(5) & HIGHEST_STREAM,
          payload: this.#pending.subarray(HEAD_BYTES, HEAD_BYTES + length),
        });
        this.#pending = this.#pending.subarray(HEAD_BYTES + length);
      }
    }
    return frames;
  }
}
