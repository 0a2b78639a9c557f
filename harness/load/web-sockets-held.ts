import type { WebSocketEndpoint, HeldWebSocket } from '../model/websocket.ts';
import type { WebSocketLine } from '../wire/web-socket.ts';
import { upgradeOutcome } from '../wire/web-socket-upgrade.ts';
import { within } from '../wire/within.ts';
import { http1 } from './held-work.ts';
import type { HeldWork, TrafficContext } from './traffic.ts';

const SHAPE = 'web-sockets';
/** What the kernel has kept for a reader that stopped is read off within this. */
const CATCH_UP_MS = 250;

/** A WebSocket, or half of its upgrade, that is proven to be held. */
export interface ProvenSocket {
  readonly id: string;
  readonly how: string;
  readonly line: WebSocketLine;
  readonly endpoint: WebSocketEndpoint;
  readonly webSocket: HeldWebSocket;
  /** Said in the drain, before what has come is read: what makes the service close it then. */
  readonly saidLate?: string;
}

/** Record that it is held, and from then on its end. It is a connection, never an admitted request. */
export function holdWebSocket(context: TrafficContext, proven: ProvenSocket): HeldWork {
  const { recorder, access } = context;
  const { id, how, line, webSocket } = proven;
  const { begin } = line;
  const work = { id, shape: SHAPE } as const;
  const { kind } = webSocket;
  const deaf = kind === 'backlog' || kind === 'refused';
  const ends = deaf || kind === 'half-upgrade' ? 'finish' : 'never';
  const over = http1(access).over;
  recorder.record({ kind: 'work.held', begin, ...work, how, over, admitted: false, ends, webSocket });
  const half = kind === 'half-upgrade' ? halfUpgrade(context, proven) : undefined;
  const done = Promise.withResolvers<void>();
  let recorded = false;
  const settle = (): void => {
    if (recorded) return;
    recorded = true;
    const { seen, over: end } = line;
    recorder.record({
      kind: 'work.ended',
      begin,
      ...work,
      ...(end ?? { t: recorder.now(), fate: 'held' }),
      ...(line.status === undefined ? {} : { status: line.status }),
      webSocket: seen,
    });
    done.resolve();
  };
  void line.ended.then(settle);
  return {
    ended: done.promise,
    ...(half && { upgrade: half }),
    finish() {
      if (line.over) return;
      if (half) void half();
      else if (deaf) {
        recorder.record({ kind: 'work.finished', ...work });
        if (proven.saidLate !== undefined) line.say(proven.saidLate);
        line.readOn();
      }
    },
    async release() {
      if (kind === 'stops-reading' && !line.over) {
        line.readOn();
        await within(line.ended, CATCH_UP_MS);
      }
      settle();
      await line.destroy();
      await half?.settled();
    },
  };
}

/** Completes a half-sent upgrade once, and records what came of it. */
function halfUpgrade(
  { recorder }: TrafficContext,
  { id, line, endpoint }: ProvenSocket,
): { (): Promise<void>; settled(): Promise<void> } {
  let outcome: Promise<void> | undefined;
  const complete = async (): Promise<void> => {
    const begin = recorder.now();
    line.sendRest();
    recorder.record({ kind: 'work.finished', begin, id, shape: SHAPE });
    const seen = await upgradeOutcome(line, endpoint, recorder.now);
    recorder.record({ kind: 'ws.upgrade', begin: line.begin, id, via: 'half-sent', path: endpoint.path, ...seen });
  };
  const once = (): Promise<void> => {
    // closed before we went on: there is nothing to complete, and its end is on record
    if (outcome === undefined && !line.over) outcome = complete();
    return outcome ?? Promise.resolve();
  };
  return Object.assign(once, { settled: async () => await outcome });
}
