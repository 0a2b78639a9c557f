/** How a body is sent: in pieces whose size depends on what was sent already. */
export interface BodyPlan {
  /** Bytes of the whole body. The last of them is kept back until `rest`, so that a body never completes by itself. */
  readonly total: number;
  /** Time between two pieces. */
  readonly everyMs: number;
  /** Bytes of the next piece. */
  pieceBytes(sent: number): number;
}

/** The body of one request, in the framing of its form. */
export interface SentBody {
  readonly headers: Readonly<Record<string, string>>;
  /** The next piece, or undefined when nothing may go out before the rest. */
  next(): string | undefined;
  /** Everything that is still missing. */
  rest(): string;
}

/** A body that is sent piece by piece: with its length promised, or chunked. */
export function sentBody(plan: BodyPlan, chunked: boolean): SentBody {
  let sent = 0;
  const take = (size: number): string => {
    sent += size;
    const text = 'x'.repeat(size);
    return chunked ? `${size.toString(16)}\r\n${text}\r\n` : text;
  };
  return {
    headers: chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(plan.total) },
    next() {
      const size = Math.min(plan.pieceBytes(sent), plan.total - 1 - sent);
      return size > 0 ? take(size) : undefined;
    },
    rest: () => `${take(plan.total - sent)}${chunked ? '0\r\n\r\n' : ''}`,
  };
}

/** Steps are taken so often, or as often as each is due where that is more. */
const TICK_MS = 50;

/** Calls every step again and again by one timer, until it returns false: one timer for any number of bodies. */
export interface Pacer {
  add(step: () => boolean): void;
}

/**
 * A pacer that does not keep the process alive. Where `everyMs` is long each tick takes some of the steps in turn: a
 * thousand at once would hold up the loop. The steps run right after the loop has read what came: a write to a
 * connection that was reset meanwhile would discard an answer that is still unread.
 */
export function createPacer(everyMs: number): Pacer {
  const tickMs = Math.min(everyMs, TICK_MS);
  const steps: (() => boolean)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    const due = steps.splice(0, Math.ceil((steps.length * tickMs) / everyMs));
    steps.push(...due.filter((step) => step()));
    if (steps.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(step) {
      steps.push(step);
      timer ??= setInterval(() => setImmediate(tick), tickMs).unref();
    },
  };
}
