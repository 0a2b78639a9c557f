import type { Endpoint } from '../model/target.ts';
import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import { askOnce, emptyBody } from './baseline.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, PROOF_MS, started } from './held-work.ts';
import type { TrafficContext, TrafficShape } from './traffic.ts';

/** What an endpoint is told that shall not answer by itself: beyond every outer timeout. */
export const ENDLESS_MS = 600_000;

/** Requests to hold on the declared slow endpoints. */
interface AnswerWork {
  readonly shape: string;
  readonly count: number;
  /** When the answers are due, where the endpoint can be told; absent: not within the experiment. */
  readonly dueMs?: number;
}

/** A declared path with its `{ms}` filled in. */
export function pathWithMs(path: string, ms: number): string {
  return path.replaceAll('{ms}', String(Math.max(0, Math.round(ms))));
}

/** Endpoints that can be told a time come first: of the others it is not known when they end. */
export function tellableFirst(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const tellable = ({ path }: Endpoint): boolean => path.includes('{ms}');
  return [...endpoints.filter(tellable), ...endpoints.filter((endpoint) => !tellable(endpoint))];
}

/**
 * Put requests to a declared slow endpoint in flight, all at once, and prove that they are neither answered nor closed.
 * Where the endpoint can be told a time, a request that is due at once must be answered well before.
 */
export async function holdAnswers(context: TrafficContext, work: AnswerWork): Promise<Holding> {
  const { shape, count, dueMs } = work;
  const tried: string[] = [];
  for (const endpoint of tellableFirst(context.endpoints.slow)) {
    const tellable = endpoint.path.includes('{ms}');
    const path = pathWithMs(endpoint.path, dueMs ?? ENDLESS_MS);
    const how = `declared ${endpoint.method} ${path}`;
    const normal = tellable ? await answerAtOnce(context, endpoint) : undefined;
    if (normal?.status === undefined && normal !== undefined) {
      tried.push(`${how}: ${normal.reason}`);
      if (!normal.reached) return { tried, reached: false };
      continue;
    }
    const ends = tellable && dueMs === undefined ? ('never' as const) : ('itself' as const);
    const proofMs = tellable && dueMs !== undefined ? Math.min(PROOF_MS, dueMs / 2) : PROOF_MS;
    const attempted = await attemptAll(context, { shape, how, count }, async (conversation, id) => {
      void conversation.write(requestHead(context.access, endpoint.method, path, emptyBody(endpoint.method)));
      const early = await conversation.endedWithin(proofMs);
      if (early) return `not held: ${endingInWords(early)}`;
      const known = normal === undefined ? {} : { normal: { status: normal.status } };
      return holdWork(context, { id, shape, how, conversation, ends, ...known });
    });
    if (attempted.held) return attempted;
    tried.push(`${how}: ${attempted.reason}`);
    if (!attempted.reached) return { tried, reached: false };
  }
  return { tried, reached: true };
}

type AtOnce =
  | { readonly status: number }
  | { readonly status?: undefined; readonly reason: string; readonly reached: boolean };

/** What the endpoint answers when the answer is due at once: a time of 0, or of 1 where it refuses 0. */
async function answerAtOnce(context: TrafficContext, { method, path }: Endpoint): Promise<AtOnce> {
  let refused = '';
  for (const ms of [0, 1]) {
    const asked = await askOnce(context, { method, path: pathWithMs(path, ms), headers: emptyBody(method) });
    if (asked.answer && asked.answer.status < 400) return { status: asked.answer.status };
    const reason = asked.answer ? `answered ${asked.answer.status}` : `not answered: ${asked.reason}`;
    refused = `a request that is due at once (${pathWithMs(path, ms)}) was ${reason}`;
    if (!asked.answer) return { reason: refused, reached: asked.reached };
  }
  return { reason: refused, reached: true };
}

/** Requests to a declared slow endpoint, whose answers are due after `for`. */
export const slowAnswer: TrafficShape<'slow-answer'> = async (load, context) => {
  const { shape, count } = load;
  const holding = await holdAnswers(context, { shape, count, dueMs: context.time(load.for) });
  const none = context.endpoints.slow.length === 0;
  return started(context, shape, holding, {
    capability: 'held work',
    reason: none ? 'no slow endpoint is declared' : 'no declared slow endpoint held a request',
    declare: "endpoints: { slow: ['GET /path?ms={ms}'] }",
  });
};
