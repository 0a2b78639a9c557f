import type { ObservationOf } from '../model/observation.ts';
import type { Access } from '../wire/connection.ts';
import type { Ending } from '../wire/ending.ts';
import { inBatches } from './batches.ts';
import type { Conversation } from './conversation.ts';
import { converse } from './conversation.ts';
import type { HeldWork, Started, TrafficContext } from './traffic.ts';

/** A request that has had no answer and no close for this long counts as held. */
export const PROOF_MS = 250;
/** So many times as long as a whole request took: a service that is slow, or starved, may not even have begun. */
const PROOF_TIMES = 3;
const MOST_PROOF_MS = 3000;

/** How long a request must have had no answer to count as held, where a whole one took `tookMs`. */
export function proofMs(tookMs: number): number {
  return Math.min(MOST_PROOF_MS, Math.max(PROOF_MS, PROOF_TIMES * tookMs));
}

type Held = ObservationOf<'work.held'>;

/** What is said of work once it is proven held. */
export interface Proven {
  readonly id: string;
  readonly shape: string;
  readonly how: string;
  readonly conversation: Conversation;
  readonly ends: NonNullable<Held['ends']>;
  readonly admitted?: boolean;
  readonly normal?: Held['normal'];
  /** What completes our part; absent where nothing of ours is missing. */
  readonly rest?: () => string;
  /** Where it is not what the way in speaks. */
  readonly over?: Held['over'];
  /** For a reader that stopped: looks for what happened meanwhile before it is given up. */
  readonly beforeRelease?: () => Promise<void>;
  /** Said of it where nothing had happened to it by then. */
  readonly heldMessage?: string;
}

/** What is spoken on a connection of these shapes: HTTP/1.1, also to a port that speaks HTTP/2 besides. */
export function http1(access: Access): Access {
  return access.over === 'h2' ? { ...access, over: 'https' } : access;
}

/**
 * Record that work is held, and from then on its fate. A connection stays open after a whole answer, since an idle one is
 * part of the experiment, unless the service said close or our part was never completed.
 */
export function holdWork(context: TrafficContext, proven: Proven): HeldWork {
  const { recorder, access } = context;
  const { id, shape, how, ends, conversation, rest } = proven;
  const { begin } = conversation;
  const { admitted, normal, heldMessage, over = http1(access).over } = proven;
  recorder.record({
    kind: 'work.held',
    begin,
    id,
    shape,
    how,
    over,
    ends,
    ...(admitted === undefined ? {} : { admitted }),
    ...(normal === undefined ? {} : { normal }),
  });
  let recorded = false;
  let complete = rest === undefined;
  const done = Promise.withResolvers<void>();
  const settle = (end: Ending): void => {
    if (recorded) return;
    recorded = true;
    recorder.record({ kind: 'work.ended', begin, id, shape, ...end });
    done.resolve();
  };
  void conversation.ended.then((end) => {
    settle(end);
    if (end.fate === 'answered' && complete && conversation.persistent) conversation.leaveOpen();
    else conversation.endOurSide();
  });
  return {
    ended: done.promise,
    finish() {
      if (complete || recorded || rest === undefined || conversation.over) return;
      complete = true;
      const from = recorder.now();
      void conversation.write(rest()).then((taken) => {
        if (taken) recorder.record({ kind: 'work.finished', begin: from, id, shape });
      });
    },
    async release() {
      if (!conversation.over) await proven.beforeRelease?.();
      const message = heldMessage === undefined ? {} : { message: heldMessage };
      settle(conversation.over ?? { t: recorder.now(), fate: 'held', ...conversation.received, ...message });
      await conversation.destroy();
    },
  };
}

type Missing = Extract<Started, { missing: unknown }>['missing'];

/** What came of trying: held work, or everything that was tried. `reached`: there was a connection at all. */
export type Holding =
  | { readonly held: readonly HeldWork[] }
  | { readonly held?: undefined; readonly tried: readonly string[]; readonly reached: boolean };

/**
 * What a shape answers. Where nothing is held it is recorded with everything that was tried; where the way in itself could
 * not be used, or what is spoken there is no HTTP, that is what is missing. The reason says why none was held.
 */
export function started(context: TrafficContext, shape: string, holding: Holding, missing: Missing): Started {
  if (holding.held) return { held: holding.held };
  const { tried, reached } = holding;
  const noHttp = tried.length > 0 && tried.every((line) => line.includes(NOT_HTTP));
  const lacks =
    reached && !noHttp
      ? { ...missing, reason: withReasons(missing.reason, tried) }
      : unreachable(context, tried.at(-1) ?? 'no connection');
  context.recorder.record({ kind: 'work.failed', id: context.id, shape, tried, message: lacks.reason });
  return { missing: lacks };
}

/** As the reader of answers says it. */
const NOT_HTTP = 'not HTTP/1.x: ';
/** More different reasons than this are left to the record. */
const MOST_REASONS = 3;

/** Who reads a report must not have to look up in the record why a service holds nothing: each reason once. */
function withReasons(reason: string, tried: readonly string[]): string {
  const whys = [...new Set(tried.map((line) => line.slice(line.indexOf(': ') + 2)))];
  const news = whys.filter((why) => !reason.includes(why));
  const more = news.length > MOST_REASONS ? '; …' : '';
  return news.length === 0 ? reason : `${reason} (${news.slice(0, MOST_REASONS).join('; ')}${more})`;
}

function unreachable({ access }: TrafficContext, reason: string): Missing {
  if (access.over === 'tcp')
    return { capability: 'tcp', reason, declare: 'tcp: [5432]   # one that takes connections' };
  return access.tls === undefined
    ? { capability: 'http', reason, declare: 'port: 8080   # where the service speaks HTTP' }
    : { capability: 'tls', reason, declare: `tls: { port: ${access.port}, ca: ca.pem }` };
}

/** Pieces of work that were tried at once: those that are held, or, where none is, why. */
type Attempted =
  | { readonly held: readonly HeldWork[] }
  | { readonly held?: undefined; readonly reason: string; readonly reached: boolean };

/**
 * Try `count` pieces of work of one form at once, each on a connection of its own; an attempt answers with a text where it
 * is not held. Where some are held, the others are recorded as failed, each by its id; where none is, nothing is recorded
 * and another form may be tried. Many are connected in batches; `between` is awaited between two of them. Rejects with HarnessError where this host cannot connect, and then holds nothing.
 */
export async function attemptAll(
  { recorder, id, access }: TrafficContext,
  work: {
    readonly shape: string;
    readonly how: string;
    readonly count: number;
    readonly between?: () => Promise<void>;
  },
  attempt: (conversation: Conversation, id: string) => Promise<HeldWork | string>,
): Promise<Attempted> {
  const { shape, how, count } = work;
  let reached = false;
  const idOf = (index: number): string => `${id}-${index + 1}`;
  const one = async (
    index: number,
    connected: (answered: boolean) => void,
  ): Promise<{ readonly id: string; readonly result: HeldWork | string }> => {
    const itsId = idOf(index);
    const conversation = await converse(http1(access), recorder.now);
    connected(typeof conversation !== 'string' || !conversation.startsWith(HUNG));
    if (typeof conversation === 'string') return { id: itsId, result: conversation };
    reached = true;
    const result = await attempt(conversation, itsId);
    if (typeof result === 'string') await conversation.destroy();
    return { id: itsId, result };
  };
  const settled = (await inBatches(count, one, work.between)).map((tried, index) =>
    tried.status === 'not tried' ? notTried(idOf(index)) : tried,
  );
  const results = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const held = results.flatMap(({ result }) => (typeof result === 'string' ? [] : [result]));
  for (const outcome of settled) {
    if (outcome.status === 'fulfilled') continue;
    await Promise.all(held.map((work) => work.release()));
    throw outcome.reason; // a fault of ours is no outcome
  }
  const reasons = results.flatMap((failed) =>
    typeof failed.result === 'string' ? [{ id: failed.id, reason: failed.result }] : [],
  );
  if (held.length === 0) return { reason: [...new Set(reasons.map(({ reason }) => reason))].join('; '), reached };
  for (const failed of reasons) {
    const message = `${held.length} of ${count} were held, this one was not`;
    recorder.record({ kind: 'work.failed', id: failed.id, shape, tried: [`${how}: ${failed.reason}`], message });
  }
  return { held };
}

/** As `converse` says it. */
const HUNG = 'no connection: hung';

/** Nobody answered one before it: the service takes no more, and each further one would wait as long. */
function notTried(id: string): PromiseFulfilledResult<{ readonly id: string; readonly result: string }> {
  return { status: 'fulfilled', value: { id, result: 'not tried: one before it got no connection' } };
}
