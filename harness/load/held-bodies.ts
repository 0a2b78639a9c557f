import type { Endpoint } from '../model/target.ts';
import { requestHead } from '../wire/connection.ts';
import { endingInWords } from '../wire/ending.ts';
import type { WholeRequest } from './baseline.ts';
import { askOn, askOnce, closedAfterAnswer } from './baseline.ts';
import type { Conversation } from './conversation.ts';
import type { Holding } from './held-work.ts';
import { attemptAll, holdWork, PROOF_MS } from './held-work.ts';
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

const BODYLESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

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
    const baseline = work.warm ? undefined : await askOnce(context, wholeRequest(form, plan));
    if (baseline && !baseline.answer) {
      tried.push(`${form.how}: ${unanswered(baseline.reason)}`);
      if (!baseline.reached) return { tried, reached: false };
      continue;
    }
    const attempted = await attemptAll(context, { shape, how: form.how, count }, async (conversation, id) => {
      const normal = baseline?.answer.status ?? (await warmUp(conversation, context, form, plan));
      if (typeof normal === 'string') return normal;
      return await holdOne(conversation, context, { shape, form, plan, pacer, id, normal });
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
  /** The status of the baseline. */
  readonly normal: number;
}

async function holdOne(
  conversation: Conversation,
  context: TrafficContext,
  { shape, form, plan, pacer, id, normal }: OneBody,
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
  const early = await conversation.endedWithin(PROOF_MS);
  if (early) return `not held: ${endingInWords(early)}`;
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
    normal: { status: normal },
    rest,
  });
}

/** One complete request on the very connection; its status, or why the connection cannot be used again. */
async function warmUp(
  conversation: Conversation,
  context: TrafficContext,
  form: BodyForm,
  plan: BodyPlan,
): Promise<number | string> {
  const asked = await askOn(conversation, context, wholeRequest(form, plan));
  if (!asked.answer) return unanswered(asked.reason);
  const closed = closedAfterAnswer(conversation);
  if (closed !== undefined) return closed;
  conversation.next();
  return asked.answer.status;
}
