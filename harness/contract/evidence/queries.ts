import type { History } from '../../model/history.ts';
import type { Observation, ObservationKind, ObservationOf } from '../../model/observation.ts';
import type { Interval, Nanoseconds } from '../../model/time.ts';

const NS_PER_MS = 1e6;

/** Milliseconds of a length on the history's axis. */
export function toMs(ns: Nanoseconds): number {
  return ns / NS_PER_MS;
}

/** Nanoseconds of a length in milliseconds. */
export function toNs(ms: number): Nanoseconds {
  return ms * NS_PER_MS;
}

const sorted = new WeakMap<History, readonly Observation[]>();

/** All observations by time; equal times keep the order of writing. Judges never sort by sequence number (rule 2). */
export function byTime(history: History): readonly Observation[] {
  const known = sorted.get(history);
  if (known) return known;
  const list = [...history.observations].sort((a, b) => a.t - b.t || a.seq - b.seq);
  sorted.set(history, list);
  return list;
}

/** All observations of one kind, by time. */
export function ofKind<K extends ObservationKind>(history: History, kind: K): readonly ObservationOf<K>[] {
  return byTime(history).filter((o): o is ObservationOf<K> => o.kind === kind);
}

/** The first observation of a kind by time, if there is one. */
export function firstOf<K extends ObservationKind>(history: History, kind: K): ObservationOf<K> | undefined {
  return ofKind(history, kind)[0];
}

/** The last observation of a kind by time, if there is one. */
export function lastOf<K extends ObservationKind>(history: History, kind: K): ObservationOf<K> | undefined {
  return ofKind(history, kind).at(-1);
}

/** The interval in which an observation happened: a point where no begin was stored. */
export function intervalOf(observation: Observation): Interval {
  return { begin: observation.begin ?? observation.t, end: observation.t };
}

const NUMBERS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  WINCH: 28,
};

/** `SIGTERM`, `term` and `15` are all `TERM`: engines spell signals in each of these ways (engines.md section 5). */
export function signalName(value: string): string {
  const text = value.trim().toUpperCase();
  const named = /^\d+$/.test(text) ? Object.keys(NUMBERS).find((name) => NUMBERS[name] === Number(text)) : undefined;
  return named ?? text.replace(/^SIG/, '');
}

/** The number of a signal name without SIG, where it is one this harness sends. */
export function signalNumber(name: string): number | undefined {
  return NUMBERS[name];
}

/** Podman's finish time is the coarse clock of conmon's exit file: early by about this much (engines.md section 1). */
const PODMAN_FINISH_LATE_MS = 4;

/** When the engine says that PID 1 ended, on the history's axis and corrected; undefined where it does not say. */
export function finishedAt(
  history: History,
  state: ObservationOf<'exit.state'> | undefined = lastOf(history, 'exit.state'),
): Nanoseconds | undefined {
  if (state?.finishedAt === undefined) return undefined;
  return state.finishedAt + toNs(history.header.engine.name === 'podman' ? PODMAN_FINISH_LATE_MS : 0);
}

/** Half-width of a stamp of the engine on the history's axis, ms: its own, and what its clock is known to. */
export function engineErrorMs(history: History): number {
  return history.header.uncertainty.engineMs + history.header.engine.clockErrorMs;
}

/** Whether PID 1 had certainly ended by itself before `t`, by the host's sighting or by the engine's finish time. */
function endedBefore(history: History, t: Nanoseconds): boolean {
  const finished = finishedAt(history);
  const seen = ofKind(history, 'exit.seen').some((o) => o.by !== 'engine' && o.t < t);
  return seen || (finished !== undefined && finished < t - toNs(engineErrorMs(history)));
}

/** What set the stop off: the script's first signal, or the engine's own stop. */
export interface Trigger {
  readonly by: 'signal' | 'stop';
  /** Without SIG; for the engine's stop the image's stop signal. */
  readonly signal: string;
  /** From the call to the engine's answer; for the engine's stop the moment of the call. */
  readonly interval: Interval;
  readonly seq: number;
}

/**
 * The script's signals that the engine took, in order of delivery. `begin` falls back on when they were sent. One that
 * was sent when PID 1 had ended already is none: the engine took it before it knew.
 */
export function deliveredSignals(history: History): readonly Trigger[] {
  const sent = ofKind(history, 'signal.sent').filter((o) => o.purpose === 'script');
  return ofKind(history, 'signal.delivered')
    .filter((o) => o.purpose === 'script')
    .map((o) => {
      const call = sent.find((s) => s.n === o.n);
      const begin = o.begin ?? call?.begin ?? call?.t ?? o.t;
      return { by: 'signal' as const, signal: signalName(o.signal), interval: { begin, end: o.t }, seq: o.seq };
    })
    .filter((signal) => !endedBefore(history, signal.interval.begin));
}

/** The first thing that should have ended the service, or undefined when nothing was done to it while it ran. */
export function triggerOf(history: History): Trigger | undefined {
  const stop = firstOf(history, 'stop.called');
  const first = deliveredSignals(history)[0];
  if (!stop || (first && first.interval.begin <= (stop.begin ?? stop.t))) return first;
  const called = stop.begin ?? stop.t;
  if (endedBefore(history, called)) return undefined;
  return {
    by: 'stop',
    signal: signalName(history.header.image.stopSignal.value),
    interval: { begin: called, end: called },
    seq: stop.seq,
  };
}

/** Whether, and where, the harness itself sent SIGKILL because the outer timeout had passed. */
export function outerKill(
  history: History,
): ObservationOf<'signal.sent'> | ObservationOf<'signal.delivered'> | undefined {
  const ours = (o: { readonly purpose: string }): boolean => o.purpose === 'outer-timeout';
  const delivered = ofKind(history, 'signal.delivered').find(ours);
  if (delivered) return delivered;
  const refused = ofKind(history, 'signal.failed').some((o) => ours(o) && o.ended);
  return refused ? undefined : ofKind(history, 'signal.sent').find(ours);
}

/** When something of the harness first touched the target after its start: a signal of any purpose or a stop. */
export function firstInterference(history: History): Nanoseconds | undefined {
  const touched = byTime(history).filter((o) =>
    ['signal.sent', 'signal.delivered', 'signal.failed', 'stop.called'].includes(o.kind),
  );
  return touched.length === 0 ? undefined : Math.min(...touched.map((o) => o.begin ?? o.t));
}

/** Evidence that memory ran out, in words; undefined when nothing says so. */
export function oomSeen(history: History): { readonly text: string; readonly seq: number } | undefined {
  const state = lastOf(history, 'exit.state');
  if (state?.oomKilled) return { text: 'the engine says OOMKilled', seq: state.seq };
  const kills = state?.cgroupOomKills ?? 0;
  if (state && kills > 0) return { text: `the cgroup counted ${kills} OOM kill(s)`, seq: state.seq };
  const seen = ofKind(history, 'oom').find((o) => o.kills > 0);
  return seen && { text: `${seen.kills} OOM kill(s) seen by ${seen.source}`, seq: seen.seq };
}

/**
 * OOM kills that were all counted before the stop began: children of a service that went on without them. Undefined where
 * there were none, or where one may have been part of the stop.
 */
export function oomBeforeStop(history: History): { readonly text: string; readonly seq: number } | undefined {
  const trigger = triggerOf(history);
  const counted = ofKind(history, 'oom').filter((o) => o.source === 'cgroup');
  const before = trigger && counted.findLast((o) => o.t <= trigger.interval.begin);
  if (!before) return undefined;
  const kills = Math.max(lastOf(history, 'exit.state')?.cgroupOomKills ?? 0, ...counted.map((o) => o.kills));
  const since = trigger.interval.begin - toNs(engineErrorMs(history));
  const told = ofKind(history, 'engine.event').some((o) => o.action === 'oom' && o.at >= since);
  if (told || kills > before.kills) return undefined;
  return { text: `${before.kills} OOM kill(s) of children before the signal, none since`, seq: before.seq };
}

/** How PID 1 ended. */
export type Ending =
  /** By itself, with any status but 137. */
  | { readonly how: 'itself'; readonly exitCode: number; readonly evidence: readonly number[] }
  /** The harness sent SIGKILL after the outer timeout; `survivedMs` is counted from the trigger. */
  | { readonly how: 'outer-timeout'; readonly survivedMs: number; readonly evidence: readonly number[] }
  /** 137 without a SIGKILL of the harness: the engine's stop, OOM, or someone outside. */
  | { readonly how: 'killed'; readonly why: string; readonly evidence: readonly number[] }
  | { readonly how: 'unknown'; readonly why: string; readonly evidence: readonly number[] };

/** How the history ended. A status the engine did not confirm is unknown, never 0. */
export function endingOf(history: History): Ending {
  const state = lastOf(history, 'exit.state');
  const exitCode = state && !state.running ? state.exitCode : undefined;
  const kill = outerKill(history);
  const trigger = triggerOf(history);
  const cleanUp = ofKind(history, 'signal.delivered').find((o) => o.purpose === 'clean-up');
  const evidence = [state?.seq, (kill ?? cleanUp)?.seq, lastOf(history, 'exit.seen')?.seq].filter(
    (seq) => seq !== undefined,
  );
  const survived = kill && survivedKill(history, kill);
  if (survived && (exitCode === undefined || exitCode === 137)) {
    return { how: 'unknown', why: survived.message, evidence: [...evidence, survived.seq] };
  }
  if (kill && (exitCode === undefined || exitCode === 137)) {
    const survivedMs = trigger ? toMs((kill.begin ?? kill.t) - trigger.interval.end) : 0;
    return { how: 'outer-timeout', survivedMs, evidence };
  }
  if (exitCode === undefined) return { how: 'unknown', why: unknownEnd(state), evidence };
  if (exitCode === 137 && cleanUp) {
    return { how: 'unknown', why: 'the harness cleaned it up before its end was seen', evidence };
  }
  if (exitCode === 137) {
    const oom = oomSeen(history);
    const engine = trigger?.by === 'stop' ? "the engine's stop ended in SIGKILL (137)" : undefined;
    const asked = trigger?.signal === 'KILL' ? '137: the stop signal is SIGKILL, which nothing can handle' : undefined;
    const hint = '137 without a SIGKILL of ours: OOM or outside kill';
    const why = oom ? `137: ${oom.text}` : (asked ?? engine ?? hint);
    return { how: 'killed', why, evidence };
  }
  return { how: 'itself', exitCode, evidence };
}

/**
 * The engine's fault that came before any end was seen after our own SIGKILL: a process that not even SIGKILL ends (a
 * zombie with a thread in the kernel, shown as running) says nothing of what the image does on its signal (DKR-06).
 */
function survivedKill(
  history: History,
  kill: NonNullable<ReturnType<typeof outerKill>>,
): ObservationOf<'fault'> | undefined {
  const fault = ofKind(history, 'fault').find((o) => o.where === 'engine' && o.t >= kill.t);
  const ended = ofKind(history, 'exit.seen').some((o) => o.t <= (fault?.t ?? 0));
  return ended ? undefined : fault;
}

function unknownEnd(state: ObservationOf<'exit.state'> | undefined): string {
  if (!state) return 'the end was never confirmed by the engine';
  if (state.running) return 'the engine still showed the container running when the record stopped';
  return `the engine gave no exit status${state.error ? ` (${state.error})` : ''}`;
}
