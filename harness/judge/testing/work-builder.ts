import type { Draft, Fate, Observation } from '../../model/observation.ts';
import { at, SIGNAL_AT } from './history-builder.ts';

type DraftOf<K extends Observation['kind']> = Extract<Draft, { kind: K }>;
type HeldDraft = Omit<DraftOf<'work.held'>, 'kind' | 't' | 'id' | 'shape' | 'how'>;
type EndedDraft = Omit<DraftOf<'work.ended'>, 'kind' | 't' | 'id' | 'shape' | 'fate' | 'firstByteAt' | 'lastByteAt'>;

/** Shape of an id like `slow-body-3`. */
const shapeOf = (id: string): string => id.replace(/(-\d+)+$/, '');

/** A piece that is proven held 200 ms before the usual signal, over HTTP, and completed by the harness; ids are `<shape>-<n>`. */
export function held(id: string, more: Partial<HeldDraft> = {}, atMs = SIGNAL_AT - 200): Draft {
  const usual = { over: 'http', ends: 'finish', normal: { status: 200, bytes: 2 } } as const;
  return {
    kind: 'work.held',
    begin: at(atMs - 300),
    t: at(atMs),
    id,
    shape: shapeOf(id),
    how: 'POST /',
    ...usual,
    ...more,
  };
}

/** The harness completed its part so long after the usual signal. */
export function finished(id: string, afterMs: number): Draft {
  return { kind: 'work.finished', t: at(SIGNAL_AT + afterMs), id, shape: shapeOf(id) };
}

/** The end of a piece so long after the usual signal, without any answer. */
export function lost(id: string, afterMs: number, fate: Fate = 'closed', more: Partial<EndedDraft> = {}): Draft {
  return { kind: 'work.ended', t: at(SIGNAL_AT + afterMs), id, shape: shapeOf(id), fate, ...more };
}

/** A whole answer so long after the usual signal, all of it at once unless its first byte came before. */
export function answered(
  id: string,
  afterMs: number,
  more: Partial<EndedDraft> & { readonly beganMs?: number } = {},
): Draft {
  const { beganMs = afterMs, ...rest } = more;
  const t = at(SIGNAL_AT + afterMs);
  const bytes = { firstByteAt: at(SIGNAL_AT + beganMs), lastByteAt: t };
  const usual = { status: 200, headers: { connection: 'close' }, bytes: 2 };
  return { kind: 'work.ended', t, id, shape: shapeOf(id), fate: 'answered', ...usual, ...bytes, ...rest };
}

/** A piece that the harness completes and that is answered 3 ms later. */
export function completed(id: string, finishedMs = 500): readonly Draft[] {
  return [held(id), finished(id, finishedMs), answered(id, finishedMs + 3)];
}

export function workFailed(shape: string, message: string): Draft {
  return { kind: 'work.failed', t: at(700), id: shape, shape, tried: [message], message };
}
