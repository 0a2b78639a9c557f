import type { WebSocketEndpoint, WebSocketKind } from '../model/websocket.ts';
import type { WebSocketLine } from '../wire/web-socket.ts';
import type { Holding } from './held-work.ts';
import { started } from './held-work.ts';
import type { HeldWork, TrafficContext, TrafficShape } from './traffic.ts';
import { declareWebSocket, undeclaredWebSocket, webSocketEndpoints } from './web-sockets-declared.ts';
import { holdWebSocket } from './web-sockets-held.ts';
import { openWebSocket } from './web-sockets-kinds.ts';

/** So many are opened side by side: a listener's backlog may be no longer than 128. */
const AT_ONCE = 50;
const CHAT_EVERY_MS = 50;
/** Of a thousand that chat no more than so many ask at a time. */
const CHAT_AT_ONCE = 20;

/**
 * WebSockets of one kind (WSS), each proven held before the signal. One timer serves all that chat, and none has a timer
 * or a buffer of its own, so that one run can hold a thousand.
 */
export const webSockets: TrafficShape<'web-sockets'> = async ({ shape, kind: wanted, count }, context) => {
  const kind = wanted as WebSocketKind; // `$column` is resolved
  const missing = undeclaredWebSocket(kind, context.endpoints);
  if (missing) {
    const { reason } = missing;
    context.recorder.record({ kind: 'work.failed', id: context.id, shape, tried: [], message: reason });
    return { missing };
  }
  const tried: string[] = [];
  let reached = false;
  for (const endpoint of webSocketEndpoints(kind, context.endpoints)) {
    const holding = await holdAll({ kind, count, shape }, context, endpoint);
    if (holding.held) return holding;
    tried.push(...holding.tried);
    reached ||= holding.reached;
  }
  const reason = `no WebSocket is held (${kind})`;
  const lacks = { capability: 'websocket', reason, declare: declareWebSocket(kind) } as const;
  return started(context, shape, { tried, reached }, lacks);
};

async function holdAll(
  { kind, count, shape }: { readonly kind: WebSocketKind; readonly count: number; readonly shape: string },
  context: TrafficContext,
  endpoint: WebSocketEndpoint,
): Promise<Holding> {
  const { recorder, id } = context;
  const held: HeldWork[] = [];
  const lines: WebSocketLine[] = [];
  const failed: { readonly id: string; readonly problem: string }[] = [];
  let reached = false;
  const whole = kind === 'half-upgrade' ? await wholeUpgrade(context, endpoint) : undefined;
  if (whole) return { tried: [`${kind}: ${endpoint.path}: ${whole.problem}`], reached: whole.reached };
  const one = async (number: number): Promise<void> => {
    const itsId = `${id}-${number}`;
    // every other one is closed for its own reasons only when the process is stopping already (WSS-7)
    const askLate = kind === 'refused' && number % 2 === 0;
    const opened = await openWebSocket(kind, context, endpoint, { askLate });
    if (opened.line === undefined) {
      reached ||= opened.reached;
      failed.push({ id: itsId, problem: opened.problem });
      return;
    }
    reached = true;
    lines.push(opened.line);
    const saidLate = askLate && endpoint.refused ? { saidLate: endpoint.refused.send } : {};
    held.push(holdWebSocket(context, { id: itsId, endpoint, ...opened, ...saidLate }));
  };
  await inTurns(count, one).catch(async (error: unknown) => {
    await Promise.all(held.map((work) => work.release()));
    throw error; // a fault of ours is no outcome
  });
  const problems = [...new Set(failed.map(({ problem }) => `${kind}: ${endpoint.path}: ${problem}`))];
  if (held.length === 0) return { tried: problems, reached };
  for (const { id: itsId, problem } of failed) {
    const message = `${held.length} of ${count} were held, this one was not`;
    const line = `${kind}: ${endpoint.path}: ${problem}`;
    recorder.record({ kind: 'work.failed', id: itsId, shape, tried: [line], message });
  }
  if (kind === 'chatty') chat(lines, endpoint);
  return { held };
}

/** Why a complete request of the same form is not upgraded: half of one would prove nothing then. */
async function wholeUpgrade(
  context: TrafficContext,
  endpoint: WebSocketEndpoint,
): Promise<{ readonly problem: string; readonly reached: boolean } | undefined> {
  const opened = await openWebSocket('unregistered', context, endpoint);
  if (opened.line === undefined) return opened;
  await opened.line.destroy();
  return undefined;
}

/** All of `count`, by their numbers from 1, some at a time. Rejects as soon as one does and begins no other then. */
async function inTurns(count: number, one: (number: number) => Promise<void>): Promise<void> {
  let next = 1;
  let broken = false;
  const worker = async (): Promise<void> => {
    while (next <= count && !broken) {
      await one(next++).catch((error: unknown) => {
        broken = true;
        throw error;
      });
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
  const failure = settled.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

/** All of them ask again and again, in turns, as long as one of them stands. */
function chat(lines: readonly WebSocketLine[], { ask }: WebSocketEndpoint): void {
  let standing = lines;
  let next = 0;
  const timer = setInterval(() => {
    standing = standing.filter((line) => line.over === undefined);
    if (standing.length === 0) clearInterval(timer);
    for (let count = 0; count < Math.min(CHAT_AT_ONCE, standing.length); count += 1) {
      const line = standing[next++ % standing.length];
      if (line?.seen.close === undefined) line?.say(ask?.send);
    }
  }, CHAT_EVERY_MS).unref();
}
