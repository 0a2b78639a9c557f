import type { Endpoint, Endpoints } from '../model/target.ts';
import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import type { Asked, WholeRequest } from './baseline.ts';
import { askOn, askOnce, closedAfterAnswer } from './baseline.ts';
import { untilTaken } from './until-taken.ts';
import type { Conversation } from './conversation.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, proofMs } from './held-work.ts';
import type { BodyPlan, Pacer } from './sent-body.ts';
import { createPacer, sentBody } from './sent-body.ts';
import type { HeldWork, TrafficContext } from './traffic.ts';

/** One way to send a request with a body. */
export interface BodyForm {
  readonly how: string;
  readonly method: string;
  readonly path: string;
  readonly chunked: boolean;
}

/** What holds a request in flight while its body is not complete. */
export interface BodyWork {
  readonly shape: string;
  readonly count: number;
  readonly forms: readonly BodyForm[];
  readonly plan: BodyPlan;
  /** On a connection that was used and kept alive before; else each has one of its own. */
  readonly warm: boolean;
}

const EARLY = ' before its body was complete';
const BODYLESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/** What takes a body: the declared endpoints, answering at once where that can be asked, then POST and PUT on /. */
export function bodyEndpoints({ slow, upload }: Endpoints): readonly Endpoint[] {
  const declared = declaredForms([...upload, ...slow], 'a body').map(({ method, path }) => ({ method, path }));
  return [...declared, { method: 'POST', path: '/' }, { method: 'PUT', path: '/' }];
}

/** Declared endpoints as forms, with `{ms}` as 0: an answer is due as soon as the body is complete. */
export function declaredForms(endpoints: readonly Endpoint[], what: string): BodyForm[] {
  return endpoints
    .filter(({ method }) => !BODYLESS.includes(method))
    .map(({ method, path: declared }) => {
      const path = declared.replaceAll('{ms}', '0');
      return { how: `declared ${method} ${path} with ${what}`, method, path, chunked: false };
    });
}

/**
 * Put requests in flight whose bodies are not complete, all at once, and prove that the service holds them: a complete
 * request of the same form is answered, these are neither answered nor closed. The first form that holds any is used.
 */
export async function holdBodies(context: TrafficContext, work: BodyWork): Promise<Holding> {
  const { count, shape, plan } = work;
  const pacer = createPacer(plan.everyMs);
  const tried: string[] = [];
  for (const form of work.forms) {
    const baseline = work.warm ? undefined : await timed(context, askOnce(context, wholeRequest(form, plan)));
    if (baseline && !baseline.answer) {
      tried.push(`${form.how}: ${unanswered(baseline.reason)}`);
      if (!baseline.reached) return { tried, reached: false };
      continue;
    }
    const early = new Set<number>();
    const between = untilTaken(() => askOnce(context, wholeRequest(form, plan)));
    const tries = { shape, how: form.how, count, between };
    const attempted = await attemptAll(context, tries, async (conversation, id) => {
      const normal = baseline ?? (await timed(context, warmUp(conversation, context, form, plan)));
      if (!normal.answer) return normal.reason;
      return await holdOne(conversation, context, { shape, form, plan, pacer, id, normal, early });
    });
    if (attempted.held) return attempted;
    tried.push(`${form.how}: ${attempted.reason}`);
    if (!attempted.reached) return { tried, reached: false };
  }
  return { tried, reached: true };
}

function wholeRequest({ method, path, chunked }: BodyForm, plan: BodyPlan): WholeRequest {
  const body = sentBody(plan, chunked);
  return { method, path, headers: body.headers, body: body.rest() };
}

function unanswered(reason: string): string {
  return `a complete request of this form was not answered: ${reason}`;
}

interface OneBody {
  readonly shape: string;
  readonly form: BodyForm;
  readonly plan: BodyPlan;
  readonly pacer: Pacer;
  readonly id: string;
  /** The baseline. */
  readonly normal: { readonly answer: { readonly status: number }; readonly tookMs: number };
  /** Statuses that requests of this form were answered with before their body was complete. */
  readonly early: Set<number>;
}

/** With how long it took: silence that is no longer than this proves nothing. */
async function timed<T extends object>(
  { recorder }: TrafficContext,
  asked: Promise<T>,
): Promise<T & { tookMs: number }> {
  const begin = recorder.now();
  const outcome = await asked;
  return { ...outcome, tookMs: (recorder.now() - begin) / 1e6 };
}

async function holdOne(
  conversation: Conversation,
  context: TrafficContext,
  { shape, form, plan, pacer, id, normal, early: earlyStatuses }: OneBody,
): Promise<HeldWork | string> {
  const body = sentBody(plan, form.chunked);
  let finished = false;
  const head = requestHead(context.access, form.method, form.path, body.headers);
  void conversation.write(`${head}${body.next() ?? ''}`);
  pacer.add(() => {
    const piece = conversation.over || conversation.closed || finished ? undefined : body.next();
    if (piece === undefined) return false;
    void conversation.write(piece);
    return true;
  });
  const early = await conversation.endedWithin(proofMs(normal.tookMs));
  if (early?.fate === 'answered' && early.status !== undefined) earlyStatuses.add(early.status);
  if (early) return `not held: ${endingInWords(early)}${early.fate === 'answered' ? EARLY : ''}`;
  const { status } = normal.answer;
  // The service needs no body for its usual answer: a starved one is only late with this one. A 429 or 503 to some of many
  // says nothing about the others.
  if (earlyStatuses.has(status)) return `not held: others were answered ${status} before their body was complete`;
  const rest = (): string => {
    finished = true;
    return body.rest();
  };
  return holdWork(context, {
    id,
    shape,
    how: form.how,
    conversation,
    ends: 'finish',
    normal: { status },
    rest,
  });
}

/** One complete request on the very connection; no answer where the connection cannot be used again. */
async function warmUp(
  conversation: Conversation,
  context: TrafficContext,
  form: BodyForm,
  plan: BodyPlan,
): Promise<Asked> {
  const asked = await askOn(conversation, context, wholeRequest(form, plan));
  if (!asked.answer) return { ...asked, reason: unanswered(asked.reason) };
  const reason = closedAfterAnswer(conversation);
  if (reason !== undefined) return { reason, reached: true };
  conversation.next();
  return asked;
}
