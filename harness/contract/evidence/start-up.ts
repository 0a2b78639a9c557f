import type { Terms } from '../../model/clause.ts';
import type { History } from '../../model/history.ts';
import type { ObservationOf, ProcessFact } from '../../model/observation.ts';
import type { Interval } from '../../model/time.ts';
import { heardNothing, mayHear, pid1Of, startReturned } from './lost-signal.ts';
import { roleOf, programOf } from './process-tree.ts';
import type { Trigger } from './queries.ts';
import {
  deliveredSignals,
  endingOf,
  engineErrorMs,
  firstOf,
  ofKind,
  signalNumber,
  toMs,
  toNs,
  triggerOf,
} from './queries.ts';
import { killEvent, ms } from './stop-duration.ts';

/** What became of a signal that was sent into a start-up. */
export type StartUpFate =
  /** It ended the process by itself. */
  | { readonly how: 'heard'; readonly exitCode: number }
  /** The service came up all the same, lived on, and ended only on the second signal. */
  | { readonly how: 'lost'; readonly because: string }
  | { readonly how: 'not known'; readonly why: string };

/** The first signal of a history that was sent into a start-up. */
export interface StartUpSignal {
  readonly trigger: Trigger;
  /** From the start of PID 1 to the signal, ms: both are intervals. */
  readonly offset: { readonly lowMs: number; readonly highMs: number };
  /** What PID 1 was then: `sh (shell)`, `postgres`; absent where its processes could not be seen. */
  readonly pid1?: string;
  /** It was the engine's runtime still: the image's own program had not begun. */
  readonly runtime: boolean;
  /** What PID 1 was later, where it became another program. */
  readonly later?: string;
  /** It was ready when the signal was sent: the signal came on the edge of its start-up, or past it. */
  readonly readyBefore: boolean;
  /** The answer that made it ready, where there was one. */
  readonly ready?: ObservationOf<'ready'>;
  readonly fate: StartUpFate;
  readonly evidence: readonly number[];
}

/** What the engines' runtimes are called before they become the image's program. */
const RUNTIMES = /^(?:runc(?::.*)?|crun|youki(?::.*)?|runsc.*|conmon|conmonrs|containerd-shim.*)$/;

/** The first signal of a history and what became of it; undefined where none was delivered while PID 1 lived. */
export function startUpSignal(history: History, terms: Terms): StartUpSignal | undefined {
  const trigger = triggerOf(history);
  const started = startInterval(history);
  if (trigger?.by !== 'signal' || !started) return undefined;
  const sent = sentInterval(history, trigger);
  const before = ofKind(history, 'processes').findLast((o) => o.moment === 'before-signal');
  const process = before && pid1Of(before);
  const later = laterProgram(history, trigger, process);
  const ready = firstOf(history, 'ready');
  const unheard = heardNothing(history.observations);
  const ending = endingOf(history);
  const second = deliveredSignals(history)[1];
  const seqs = [started.seq, before?.seq, trigger.seq, ready?.seq, second?.seq, ...ending.evidence];
  return {
    trigger,
    offset: {
      lowMs: Math.max(0, toMs(sent.begin - started.interval.end)),
      highMs: Math.max(0, toMs(sent.end - started.interval.begin)),
    },
    ...(process && { pid1: shownProgram(process) }),
    runtime: process !== undefined && RUNTIMES.test(process.comm),
    ...(later !== undefined && { later }),
    readyBefore: ready !== undefined && ready.t <= trigger.interval.begin,
    ...(ready && { ready }),
    fate: fateOf(history, terms, { trigger, second, process, readyAt: ready?.t }),
    evidence: [...seqs, ...(unheard?.evidence ?? [])].filter((seq) => seq !== undefined),
  };
}

/** PID 1 began somewhere between the creation of its container and the engine's answer to the start. */
export function startInterval(history: History): { readonly interval: Interval; readonly seq: number } | undefined {
  const call = startReturned(history.observations);
  if (!call) return undefined;
  const created = firstOf(history, 'container.created');
  return { interval: { begin: created?.t ?? call.begin ?? call.t, end: call.t }, seq: call.seq };
}

/** ms from the engine's answer to the start until readiness was seen; undefined where either is not on record. */
export function readyAfterMs(history: History): number | undefined {
  const ready = firstOf(history, 'ready');
  const started = startInterval(history);
  return ready && started && Math.max(0, toMs(ready.t - started.interval.end));
}

/**
 * How long the image may have been kept from starting by others, ms: what the kernel says of the whole machine, else what
 * the harness was late itself.
 */
export function disturbedMs(history: History, { trigger }: Pick<StartUpSignal, 'trigger'>): number {
  const pressure = firstOf(history, 'cpu.pressure');
  if (pressure) return pressure.waitedMs;
  const until = trigger.interval.begin;
  return ofKind(history, 'stall').reduce((sum, { t, lateMs }) => (t <= until ? sum + lateMs : sum), 0);
}

/** The kernel had the signal before the engine wrote its kill event: an answer may come much later (Podman). */
function sentInterval(history: History, trigger: Trigger): Interval {
  const { begin, end } = trigger.interval;
  const event = killEvent(history, trigger);
  return { begin, end: event ? Math.max(begin, Math.min(end, event.at + toNs(engineErrorMs(history)))) : end };
}

/** `sh (shell)`, `node`. Of a runtime its arguments are those of the image already, or none. */
function shownProgram(process: ProcessFact): string {
  if (RUNTIMES.test(process.comm)) return process.comm;
  const role = roleOf(process);
  return `${programOf(process)}${role === 'service' ? '' : ` (${role})`}`;
}

/** By the kernel's own events, else by what later samples show under another name. */
function laterProgram(history: History, trigger: Trigger, process: ProcessFact | undefined): string | undefined {
  const samples = ofKind(history, 'processes').flatMap((o) => (o.t > trigger.interval.end ? (pid1Of(o) ?? []) : []));
  // a process that is ending has no arguments any more, and so another name
  const last = samples.findLast(({ args }) => args.length > 0);
  const exec = ofKind(history, 'process.exec').findLast(
    (o) => o.pid === firstOf(history, 'container.started')?.pid && o.t > trigger.interval.end,
  );
  const name = last && shownProgram(last);
  if (!process || name === undefined) return exec?.comm;
  return exec !== undefined || name !== shownProgram(process) ? name : undefined;
}

interface Course {
  readonly trigger: Trigger;
  readonly second: Trigger | undefined;
  readonly process: ProcessFact | undefined;
  readonly readyAt: number | undefined;
}

function fateOf(history: History, terms: Terms, course: Course): StartUpFate {
  const { trigger, second, readyAt } = course;
  const ending = endingOf(history);
  const notKnown = (why: string): StartUpFate => ({ how: 'not known', why });
  if (!second)
    return ending.how === 'itself' ? endedAlone(history, terms, course, ending.exitCode) : notKnown(notAlone(ending));
  if (ending.how === 'outer-timeout')
    return notKnown(`a second SIG${second.signal} did not end it either, once it had started`);
  if (ending.how !== 'itself') return notKnown(ending.why);
  if (readyAt === undefined || readyAt >= second.interval.begin) {
    return notKnown('it never became ready, and a second signal ended it');
  }
  const unheard = heardNothing(history.observations);
  const livedMs = toMs(second.interval.begin - trigger.interval.end);
  if (unheard) return { how: 'lost', because: unheard.because };
  if (livedMs >= Math.max(terms.stopBoundMs, (terms.graceMs ?? 0) + terms.floorMs))
    return { how: 'lost', because: `it lived on for ${ms(livedMs)}` };
  return notKnown('it may have heard it and been stopping when the second signal came');
}

function notAlone(ending: Exclude<ReturnType<typeof endingOf>, { how: 'itself' }>): string {
  return ending.how === 'outer-timeout' ? 'the harness sent SIGKILL' : ending.why;
}

/** An end after one signal: by it, unless it ended with a status that it would have given itself, or heard nothing. */
function endedAlone(history: History, terms: Terms, { trigger, process }: Course, exitCode: number): StartUpFate {
  const after = ofKind(history, 'processes').find((o) => (o.begin ?? o.t) > trigger.interval.end);
  const then = after && pid1Of(after);
  const status = `exit ${exitCode}`;
  const deaf = [process, then].every((one) => one !== undefined && !mayHear(one, trigger.signal));
  if (deaf) return { how: 'not known', why: `it ended by itself (${status}), without a handler for the signal` };
  const number = signalNumber(trigger.signal);
  const bySignal = number !== undefined && exitCode === 128 + number;
  const accepted = terms.acceptedStatuses.some((entry) => entry.status === exitCode);
  const handled = process !== undefined && mayHear(process, trigger.signal);
  if (accepted || bySignal || handled) return { how: 'heard', exitCode };
  return { how: 'not known', why: `it ended with ${status}, by the signal or by itself` };
}
