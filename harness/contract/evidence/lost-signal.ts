import type { Observation, ObservationOf, ProcessFact } from '../../model/observation.ts';
import type { Nanoseconds } from '../../model/time.ts';
import { signalName, signalNumber } from './queries.ts';

/** Why a signal cannot have been heard, in words, and the observations that this rests on. */
export interface Unheard {
  readonly because: string;
  readonly evidence: readonly number[];
}

/** The engine's start of the container, as it returned; undefined where it was never started. */
export function startReturned(observations: readonly Observation[]): ObservationOf<'engine.call'> | undefined {
  const call = observations.find((o) => o.kind === 'engine.call' && o.call === 'create and start' && !o.error);
  return call?.kind === 'engine.call' ? call : undefined;
}

/** PID 1 of a sample; undefined where it does not show it alive. */
export function pid1Of({ list }: { readonly list: readonly ProcessFact[] }): ProcessFact | undefined {
  return list.find(({ nsPid, state }) => nsPid === 1 && !['Z', 'X', 'x'].includes(state));
}

/** Whether a process has a handler for a signal, or blocks it in some thread: it may hear it, at once or later. */
export function mayHear(process: ProcessFact, signal: string): boolean {
  const number = signalNumber(signalName(signal));
  // of a signal that is not known nothing can be told by masks
  if (number === undefined) return true;
  return has(process.caught, number) || has(process.blocked, number);
}

function isCaught({ caught }: ProcessFact, signal: string): boolean {
  const number = signalNumber(signalName(signal));
  return number !== undefined && has(caught, number);
}

/** Whether a signal that arrives now has no effect: there is no handler, and it does not wait until it is let through. */
function isDeaf(process: ProcessFact, signal: string): boolean {
  const number = signalNumber(signalName(signal));
  if (number === undefined || has(process.caught, number)) return false;
  // of many threads some block what others take: only the one thread of a process blocks for all of it
  return process.threads > 1 || !has(process.blocked, number);
}

function has(mask: string, signal: number): boolean {
  return ((BigInt(`0x${mask || '0'}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/**
 * Why PID 1 cannot have heard the script's first signal: it became another program after it, and a handler does not
 * outlive that; or its handler was installed after it. The kernel drops what PID 1 of a container has no handler for
 * (pid_namespaces(7)). A handler that was there before and is gone after may have heard it, unless another one follows: Go,
 * Node and others have one of their own, which gives the signal back. Undefined where it may have been heard. A signal
 * that is blocked waits, also for another program.
 */
export function heardNothing(observations: readonly Observation[]): Unheard | undefined {
  const delivered = observations.filter(
    (o): o is ObservationOf<'signal.delivered'> => o.kind === 'signal.delivered' && o.purpose === 'script',
  );
  const [first, second] = delivered;
  if (!first) return undefined;
  const until = second?.begin ?? second?.t ?? Number.POSITIVE_INFINITY;
  const samples = samplesBetween(observations, first.t, until).flatMap((sample) => {
    const process = pid1Of(sample);
    return process ? [{ seq: sample.seq, begin: sample.begin ?? sample.t, process }] : [];
  });
  const deaf = samples.find(({ process }) => isDeaf(process, first.signal));
  const later = deaf && samples.find((o) => o.begin > deaf.begin && isCaught(o.process, first.signal));
  if (deaf && later) {
    const because = `no handler ${afterMs(deaf.begin, first.t)} after it, one only later`;
    return { because, evidence: [deaf.seq, later.seq] };
  }
  return becameAnother(observations, first, until);
}

/** Whether a first signal may have been heard by what runs now, so that an end by itself is worth waiting for. */
export function mayYetHear(observations: readonly Observation[]): boolean {
  if (heardNothing(observations)) return false;
  const signal = observations.find((o) => o.kind === 'signal.delivered' && o.purpose === 'script');
  const last = observations.findLast((o) => o.kind === 'processes');
  const process = last?.kind === 'processes' ? pid1Of(last) : undefined;
  return signal?.kind !== 'signal.delivered' || !process || !isDeaf(process, signal.signal);
}

function becameAnother(
  observations: readonly Observation[],
  signal: ObservationOf<'signal.delivered'>,
  until: Nanoseconds,
): Unheard | undefined {
  const started = observations.find((o) => o.kind === 'container.started');
  const before = observations.findLast((o) => o.kind === 'processes' && o.moment === 'before-signal');
  const process = before?.kind === 'processes' ? pid1Of(before) : undefined;
  const number = signalNumber(signalName(signal.signal));
  if (started?.kind !== 'container.started' || !before || !process || number === undefined) return undefined;
  if (process.threads === 1 && has(process.blocked, number)) return undefined;
  const exec = observations.find(
    (o) => o.kind === 'process.exec' && o.pid === started.pid && o.t > signal.t && o.t < until,
  );
  if (exec?.kind !== 'process.exec') return undefined;
  const because = `PID 1 became ${exec.comm} ${afterMs(exec.t, signal.t)} after the signal`;
  return { because, evidence: [before.seq, exec.seq] };
}

function samplesBetween(
  observations: readonly Observation[],
  from: Nanoseconds,
  until: Nanoseconds,
): readonly ObservationOf<'processes'>[] {
  return observations
    .filter((o): o is ObservationOf<'processes'> => o.kind === 'processes' && (o.begin ?? o.t) > from && o.t < until)
    .toSorted((a, b) => (a.begin ?? a.t) - (b.begin ?? b.t));
}

function afterMs(t: Nanoseconds, since: Nanoseconds): string {
  return `${Math.round((t - since) / 1e6)} ms`;
}
