import type { Socket } from 'node:net';
import type { Frame } from '../http2-frames.ts';
import { clientPreface, encodeFrame, FrameReader } from '../http2-frames.ts';

/** A service's side of HTTP/2 that does exactly what a test says, which no HTTP/2 library lets it do. */
export interface Peer {
  readonly socket: Socket;
  /** Every frame that the client sent. */
  readonly frames: readonly Frame[];
  send(type: number, flags: number, stream: number, payload?: Uint8Array): void;
  /** The next frame, also one that came already, that is like this; each is given once. */
  next(isIt: (frame: Frame) => boolean): Promise<Frame>;
}

export function http2Peer(socket: Socket, onFrame: (frame: Frame, peer: Peer) => void = () => undefined): Peer {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  const given = new Set<Frame>();
  const waiting = new Set<() => void>();
  let preface = clientPreface.length;
  const peer: Peer = {
    socket,
    frames,
    send: (type, flags, stream, payload) => void socket.write(encodeFrame(type, flags, stream, payload)),
    next: (isIt) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = frames.find((frame) => !given.has(frame) && isIt(frame));
          if (!found) return;
          waiting.delete(look);
          given.add(found);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    const skipped = Math.min(preface, chunk.length);
    preface -= skipped;
    for (const frame of reader.push(chunk.subarray(skipped))) {
      frames.push(frame);
      onFrame(frame, peer);
    }
    for (const look of [...waiting]) look();
  });
  return peer;
}
