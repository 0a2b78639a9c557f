import type { RunningContainer } from '../engine/driver.ts';
import { termsAfter } from '../contract/evidence/accepted-status.ts';
import { isAccepted } from '../contract/finding.ts';
import { EngineError } from '../model/errors.ts';
import { recordExitState } from '../observe/after-exit.ts';
import { readState } from '../observe/kept-state.ts';
import type { LogLines } from '../observe/log-lines.ts';
import { recordLogLines } from '../observe/log-lines.ts';
import { awaitReady, look } from '../observe/readiness.ts';
import type { Recorder } from '../observe/recorder.ts';
import { secondLifeRecorder } from '../observe/second-life.ts';
import { within } from '../wire/within.ts';
import { takePlace } from './cell-place.ts';
import type { RunClock } from './clock.ts';
import type { CellContext } from './execute.ts';
import { healthAsked } from './health-asked.ts';
import type { Life } from './life.ts';
import { watchLife } from './life.ts';
import { engineCall } from './recorded-call.ts';
import type { TargetSidecar } from './target-sidecar.ts';

/** A look at a serving service, as in the first life's script. */
const SERVING_LOOK_LIMIT_MS = 5000;
/** How long the attached stream may take to end after the container was removed. */
const OUTPUT_END_LIMIT_MS = 2000;
/** How long an engine may take to say that the container has ended to whoever waits for it. */
const SEEN_END_LIMIT_MS = 10_000;
/**
 * How long the second start is listened to where it has said less than the first: a line that is known to be looked for is
 * waited for longer.
 */
const SAYS_SOON_MS = 500;
const SAYS_LATE_MS = 3000;
const QUIET_MS = 100;
/** As the first life's readiness: once may be the end of something older. */
const ANSWERS = 2;

/**
 * Whether the container is started again: the script asks for it, the service was ready, and was then made to end, by
 * itself and with a good status. After another end there is nothing to say about what it left (SIG-1 has said it).
 */
export function mayLiveAgain({ scenario, basis, image }: CellContext, recorder: Recorder): boolean {
  const { observations } = recorder;
  if (scenario.script.at(-1)?.step !== 'restart' || !observations.some(({ kind }) => kind === 'ready')) return false;
  const sent = observations.some(({ kind }) => kind === 'signal.delivered' || kind === 'stop.called');
  const state = observations.findLast((seen) => seen.kind === 'exit.state');
  const code = state?.kind === 'exit.state' && !state.running ? state.exitCode : undefined;
  return (
    sent &&
    code !== undefined &&
    code !== 137 &&
    isAccepted(code, termsAfter(basis.terms, observations, image.stopSignal.value))
  );
}

/**
 * The second life of a container whose first is fully on record: from its start until it is ready and was looked at, then
 * it is removed by force, unless it is kept. All that is seen is recorded as `second.life`. Throws EngineError where the
 * engine is lost.
 */
export async function liveAgain(
  context: CellContext,
  first: RunningContainer,
  recorder: Recorder,
  clock: RunClock,
): Promise<void> {
  const second = secondLifeRecorder(recorder);
  const { ready } = context.target;
  const logs = recordLogLines(second, ready.kind === 'log' ? ready.pattern : undefined);
  const output = Promise.withResolvers<void>();
  const container = await startAgain(first, second, logs, output.resolve);
  if (container === undefined) return;
  let life: Life | undefined;
  let sidecar: TargetSidecar | undefined;
  try {
    const place = await takePlace(context, container, second, clock);
    sidecar = place.sidecar;
    const beside = { outputEnded: output.promise, ...(sidecar && { sidecar }) };
    life = await watchLife({ ...context, container, recorder: second, clock, ...beside });
    if (place.ended) await life.endedWithin(SEEN_END_LIMIT_MS);
    const looked = lookAtIt(context, container, place.address, sidecar, second, recorder, life);
    await Promise.race([looked, life.trouble]);
    if (life.ended.aborted) {
      const fromEngine = (ns: bigint): number => clock.fromRealtime(ns, context.engine.clockOffsetMs);
      await engineCall(recorder, 'inspect after exit', () => recordExitState(container, second, fromEngine));
    }
  } finally {
    await life?.close();
    const gone = sidecar;
    if (gone) await engineCall(recorder, 'remove sidecar', async () => await gone.remove());
    if (!context.keep) await engineCall(recorder, 'remove', () => container.remove());
    // all that it had written has come by then
    if (!context.keep || life?.ended.aborted) await within(output.promise, OUTPUT_END_LIMIT_MS);
    logs.finish();
  }
}

/** An engine that does not start it again is on record; one that is lost ends the cell. */
async function startAgain(
  first: RunningContainer,
  second: Recorder,
  logs: LogLines,
  onOutputEnd: () => void,
): Promise<RunningContainer | undefined> {
  const onOutput: LogLines['accept'] = (stream, chunk) => logs.accept(stream, chunk);
  try {
    return await engineCall(second, 'start again', () => first.startAgain({ onOutput, onOutputEnd }));
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost) throw error;
    const message = `the engine could not start the container again: ${error.message}`;
    second.record({ kind: 'ready.failed', reason: 'exited', message });
    return undefined;
  }
}

async function lookAtIt(
  { target, driver, basis }: CellContext,
  container: RunningContainer,
  address: string | undefined,
  sidecar: TargetSidecar | undefined,
  second: Recorder,
  recorder: Recorder,
  life: Life,
): Promise<void> {
  const { ready: spec, startTimeoutMs: limitMs, tls, state } = target;
  const health = healthAsked(driver, container.id);
  const vantage = { address, health, ...(sidecar && { dial: sidecar.relay.dial }), ...(tls && { tls }) };
  if (!(await awaitReady({ spec, vantage, answers: ANSWERS, limitMs, recorder: second, ended: life.ended }))) return;
  const begin = second.now();
  const seen = await look(spec, vantage, second, SERVING_LOOK_LIMIT_MS);
  second.record({ kind: 'serving', begin, ...seen });
  if (!seen.ok) await life.endedWithin(SEEN_END_LIMIT_MS / 10);
  // one that only took a connection may still have to say what it found
  if (spec.kind === 'tcp' || spec.kind === 'settled')
    await saidAll(recorder, second, basis.terms.patterns.recovery === undefined ? SAYS_SOON_MS : SAYS_LATE_MS, life);
  const written = recorder.observations.find((one) => one.kind === 'state' && one.did === 'written' && one.ok);
  if (state !== undefined && written?.kind === 'state') await readState(state, vantage, second, written.token);
}

/** Wait until it has said as much as the first start had by its stop and is quiet, at most so long, or until it ends. */
async function saidAll(recorder: Recorder, second: Recorder, limitMs: number, life: Life): Promise<void> {
  const stop = recorder.observations.findIndex(({ kind }) => kind === 'signal.sent' || kind === 'stop.called');
  const first = recorder.observations.slice(0, stop).filter(({ kind }) => kind === 'log').length;
  const begin = second.now();
  for (let before = -1; (second.now() - begin) / 1e6 < limitMs; ) {
    const lines = second.observations.filter(({ kind }) => kind === 'log').length;
    if ((lines >= first && lines === before) || (await life.endedWithin(QUIET_MS))) return;
    before = lines;
  }
}
