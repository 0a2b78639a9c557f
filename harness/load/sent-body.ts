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

/** Calls every step at each tick of one timer, until it returns false: one timer for any number of bodies. */
export interface Pacer {
  add(step: () => boolean): void;
}

/**
 * A pacer that does not keep the process alive. The steps run right after the loop has read what came: a write to a
 * connection that was reset meanwhile would discard an answer that is still unread.
 */
export function createPacer(everyMs: number): Pacer {
  const steps = new Set<() => boolean>();
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    for (const step of [...steps]) if (!step()) steps.delete(step);
    if (steps.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(step) {
      steps.add(step);
      timer ??= setInterval(() => setImmediate(tick), everyMs).unref();
    },
  };
}
