import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { receiveMessageOnPort } from 'node:worker_threads';
import { HarnessError } from '../model/errors.ts';
import type { RelayHello, TargetEnd, ThreadRelay } from './relay-end.ts';
import { RelayEnd } from './relay-end.ts';
import type { RelayFrame } from './relay-frames.ts';
import { encodeRelayFrame, RELAY_PROTOCOL, RelayFrameReader, relayType } from './relay-frames.ts';
import type { Said } from './relay-shares.ts';
import { RelayShares, say } from './relay-shares.ts';

/** The relay of the thread that has its streams. */
export interface Relay extends ThreadRelay {
  /** A way in for one other thread: hand it over as transferred, and call `relayOverPort` there. */
  port(): MessagePort;
  /** One round trip. Rejects with ERELAYLOST. */
  beat(): Promise<void>;
  /** The end of the target that it watches. Rejects with ERELAYLOST where the relay ends first. */
  readonly ended: Promise<TargetEnd>;
  /** What the helper's `snapshot PID tree` says of the target. Rejects where there is none, and with ERELAYLOST. */
  snapshot(): Promise<string>;
  /** Listens where the helper runs, on a port of its choice of all addresses; tells of every caller. */
  listen(onConnection: (socket: Socket) => void): Promise<number>;
}

/**
 * Takes over the standard streams of a helper that runs `relay`. Rejects with HarnessError where it ends before it has
 * said hello, or speaks another version. The caller bounds the wait. `onLost` is told why it was lost, at once, before any
 * of its connections is: what becomes of them from there on must not be taken for the other side's doing. It is not called
 * for a relay that was closed, or never stood.
 */
export async function openRelay(
  streams: { readonly input: Writable; readonly output: Readable },
  onLost: (reason: string) => void = () => undefined,
): Promise<Relay> {
  const { input, output } = streams;
  const reader = new RelayFrameReader();
  const { promise, resolve, reject } = Promise.withResolvers<Relay>();
  const send = (frame: Buffer): void => {
    if (input.writable) input.write(frame); // what is under way is bounded by the windows of the connections
  };
  const shares = new RelayShares(send);
  let over = false;
  const close = (): void => {
    over = true;
    shares.lose('the relay was closed');
    input.end(encodeRelayFrame(0, relayType.quit));
  };
  let end: RelayEnd | undefined;
  const lose = (why: string): void => {
    const reason = `the sidecar was lost: ${why}`;
    reject(new HarnessError(reason));
    if (end !== undefined && !over) onLost(reason);
    over = true;
    end?.lose(reason);
    shares.lose(reason);
  };
  const take = (frame: RelayFrame): void => {
    if (end === undefined) {
      const hello = helloOf(frame);
      end = new RelayEnd(hello, { send, close }, 0);
      resolve(Object.assign(end, { port: () => shares.add(hello) }));
    } else if (!shares.take(frame)) {
      if (frame.type === relayType.gone) shares.tell(frame);
      end.take(frame);
    }
  };
  output.on('data', (chunk: Buffer) => {
    try {
      for (const frame of reader.push(chunk)) take(frame);
    } catch (error) {
      lose(error instanceof Error ? error.message : String(error));
      output.destroy();
    }
  });
  output.on('error', (error) => lose(error.message));
  input.on('error', (error) => lose(error.message));
  for (const event of ['end', 'close']) {
    output.once(event, () => {
      lose('its output ended');
      end?.over();
    });
  }
  return await promise;
}

/**
 * The relay of another thread, by the port that it gave. Its `closed` resolves when that one has ended, too. Throws
 * HarnessError for a port that does not come from a relay.
 */
export function relayOverPort(port: MessagePort): ThreadRelay {
  const first: Said | undefined = receiveMessageOnPort(port)?.message;
  if (first === undefined || !('hello' in first)) throw new HarnessError('this port does not come from a relay');
  const end = new RelayEnd(first.hello, { send: (frame) => say(port, frame), close: () => port.close() }, first.range);
  const reader = new RelayFrameReader();
  port.on('message', (said: Said) => {
    if ('lost' in said) end.lose(said.lost);
    else if (said instanceof Uint8Array) for (const frame of reader.push(Buffer.from(said.buffer))) end.take(frame);
  });
  port.on('close', () => {
    end.lose('the sidecar was lost: the thread that carried it has ended');
    end.over();
  });
  return end;
}

function helloOf({ type, stamp, payload }: RelayFrame): RelayHello {
  if (type !== relayType.hello) throw new Error('the helper did not say hello first');
  const [version, bootId = '', ...rest] = payload.toString('latin1', 8).split(' ');
  if (Number(version) !== RELAY_PROTOCOL) {
    throw new Error(`it speaks version ${version} of the relay's frames, not ${RELAY_PROTOCOL}`);
  }
  return {
    version: Number(version),
    monotonic: stamp,
    realtime: payload.readBigInt64LE(0),
    bootId,
    unwatched: rest.join(' '),
  };
}
