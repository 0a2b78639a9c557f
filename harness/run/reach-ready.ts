import type { Capability } from '../model/clause.ts';
import type { EngineFacts } from '../model/engine.ts';
import type { Target } from '../model/target.ts';
import type { Vantage } from '../observe/readiness.ts';
import { awaitReady } from '../observe/readiness.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { JudgementBasis } from '../model/clause.ts';
import type { Life } from './life.ts';
import { untilHeard } from './until-heard.ts';

/** What is needed to look whether a service is ready. */
export interface ReadinessContext {
  readonly recorder: Recorder;
  readonly life: Life;
  readonly vantage: Vantage;
  readonly target: Target;
  readonly engine: Pick<EngineFacts, 'local'>;
  readonly basis: Pick<JudgementBasis, 'terms'>;
}

/** Records what a script cannot go on without, and the line that declares it; false ends the script. */
export function missing(
  { recorder }: Pick<ReadinessContext, 'recorder'>,
  capability: Capability,
  reason: string,
  declare: string,
): false {
  recorder.record({ kind: 'capability.missing', capability, reason, declare });
  return false;
}

/** Why the container is looked at from where it is. */
export function vantageOf({ recorder }: Pick<ReadinessContext, 'recorder'>): string {
  const started = recorder.observations.find((seen) => seen.kind === 'container.started');
  return started?.kind === 'container.started' ? started.vantage : 'it was not started';
}

/** Whether readiness can be looked at from here; where it cannot, what is missing is recorded. */
export function canSeeReady(context: ReadinessContext): boolean {
  const { target, life, vantage } = context;
  const reachable = vantage.address !== undefined || life.ended.aborted;
  if (reachable || (target.ready.kind !== 'http' && target.ready.kind !== 'tcp')) return true;
  const reason = `readiness is a ${target.ready.kind} check, and the container cannot be reached (${vantageOf(context)})`;
  return missing(context, 'direct', reason, 'ready: { log: "…" }');
}

/**
 * Wait until the service has answered its readiness `answers` times in a row, within its start timeout; records both. Where
 * it is `watched` already, since its start-up, that watch tells and records it, by the first answer.
 */
export async function reachReady(
  context: ReadinessContext,
  answers: number,
  watched?: Promise<boolean>,
): Promise<boolean> {
  const { recorder, life, target, vantage, basis } = context;
  if (!canSeeReady(context)) return false;
  const limitMs = target.startTimeoutMs;
  const ready = await (watched ??
    awaitReady({ spec: target.ready, vantage, answers, limitMs, recorder, ended: life.ended }));
  // A single answer means that the signal follows at once: evidence that takes time would spoil it (STA-1).
  if (ready && answers > 1 && life.reader) {
    recorder.record({
      kind: 'processes',
      moment: 'ready',
      list: await untilHeard(life.reader, basis.terms.primarySignal, life.ended),
    });
    const kills = (await life.reader.oomKills()) ?? 0;
    if (kills > 0) recorder.record({ kind: 'oom', source: 'cgroup', kills });
  }
  return ready;
}
