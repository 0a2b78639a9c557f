import { setImmediate as loopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { RunningContainer } from '../engine/driver.ts';
import { sendSignal } from '../inject/signal.ts';
import { sendStorm } from '../inject/storm.ts';
import { engineStop } from '../inject/stop.ts';
import type { HeldWork } from '../load/traffic.ts';
import { reasonOf } from '../model/network.ts';
import type { Step, Way } from '../model/scenario.ts';
import type { StartUpPeer } from '../model/start-up-observation.ts';
import type { Nanoseconds } from '../model/time.ts';
import type { AdmissionProbe } from '../observe/admission-probe.ts';
import { startAdmissionProbe } from '../observe/admission-probe.ts';
import { askedRoutes } from '../observe/control-routes.ts';
import { newToken, writeState } from '../observe/kept-state.ts';
import type { EarlyProbe } from '../observe/early-probe.ts';
import type { Vantage } from '../observe/readiness.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { StopSampler } from '../observe/stop-sampler.ts';
import { sampleDuringStop } from '../observe/stop-sampler.ts';
import { within } from '../wire/within.ts';
import { askUpgrades } from './ask-upgrade.ts';
import { missingNeed } from './cell-setting.ts';
import type { CellContext } from './execute.ts';
import { evaluateSignal, evaluateTime, fromMatrix, hardBoundMs, resolveColumns } from './expression.ts';
import { sendBy } from './host-signal.ts';
import type { Life } from './life.ts';
import { lookInside } from './look-inside.ts';
import { probedRoute } from './probed-route.ts';
import type { TargetSidecar } from './target-sidecar.ts';
import { missing, reachReady, vantageOf } from './reach-ready.ts';
import { accessOf, startLoads } from './start-load.ts';
import type { Readying } from './start-up.ts';
import { settle, untilOffset, watchReadiness } from './start-up.ts';
import type { PlayedPeers } from './start-up-peers.ts';
import { awaitPending, probeEarly, reachRegistered, releasePeer } from './start-up-peers.ts';
import { watchServing } from './watch-serving.ts';

/** How long a killed container may take to be gone: Podman's kill blocks up to 338 ms (engines.md section 2). */
const KILL_LIMIT_MS = 10_000;
/** Everything held is let go at once, unless what holds it does not answer; the probe waits for its last requests. */
const RELEASE_LIMIT_MS = 15_000;
/** A thousand pieces completed at once would hold up the loop that reads their answers. */
const FINISHED_AT_ONCE = 64;
/** After the end of PID 1 every connection of a local container is closed within milliseconds. */
const FATE_LIMIT_MS = 500;

interface ScriptContext extends CellContext, PlayedPeers {
  readonly container: RunningContainer;
  readonly recorder: Recorder;
  readonly life: Life;
  readonly vantage: Vantage;
  readonly sidecar?: TargetSidecar;
  readonly fromMonotonic: (ns: bigint) => Nanoseconds;
}

/** What the steps share while a script runs. */
interface ScriptState {
  /** Kept as promises: a script that is broken off in the middle of them still ends what they started. */
  loading?: Promise<readonly HeldWork[]>;
  probing?: Promise<AdmissionProbe | undefined>;
  sampler?: StopSampler;
  stopping?: Promise<void>;
  /** Looks for readiness until it is there or the script is over. */
  readying?: Readying | undefined;
  early?: EarlyProbe | undefined;
}

/** Run the steps in order. A step that cannot go on records why and ends the script; nothing is judged here. */
export async function runScript(context: ScriptContext): Promise<void> {
  const state: ScriptState = {};
  const { life } = context;
  try {
    for (const step of context.scenario.script) {
      if (!(await Promise.race([runStep(step, context, state), life.trouble]))) break;
    }
  } finally {
    // each on its own: what cannot be stopped must not cost the fates of the rest
    const stopping = Promise.allSettled([
      state.sampler?.stop(),
      state.readying?.stop(),
      state.early?.stop(),
      state.probing?.then((probe) => probe?.stop(life.ended.aborted ? 'PID 1 ended' : 'the script ended')),
      state.loading?.then((held) =>
        Promise.all(held.map((work) => (life.ended.aborted ? settled(work) : work.release()))),
      ),
    ]);
    const stopped = await within(stopping, RELEASE_LIMIT_MS);
    const failed = stopped?.find((result) => result.status === 'rejected');
    if (stopped === undefined) {
      // a sidecar that does not answer any more would hold them for ever
      const message = `what was held is not let go within ${RELEASE_LIMIT_MS / 1000} s`;
      context.recorder.record({ kind: 'fault', where: 'harness', message });
      context.sidecar?.relay.close();
    }
    if (failed) context.recorder.record({ kind: 'fault', where: 'harness', message: reasonOf(failed.reason) });
  }
}

/** The fate of held work is known moments after the exit; whatever is not then is recorded as held. */
async function settled(work: HeldWork): Promise<void> {
  await Promise.race([work.ended, sleep(FATE_LIMIT_MS, undefined, { ref: false })]);
  await work.release();
}

/** One step; false ends the script. */
async function runStep(step: Step, context: ScriptContext, state: ScriptState): Promise<boolean> {
  const { recorder, life, container, basis, cell } = context;
  const time = (expression: string): number => evaluateTime(fromMatrix(expression, cell.values), basis.terms);
  const peerOf = (of: { readonly peer: string }): StartUpPeer => fromMatrix(of.peer, cell.values) as StartUpPeer;
  switch (step.step) {
    case 'ready':
      return await reachReady(context, step.answers, state.readying?.reached);
    case 'registered':
      return await reachRegistered(context, time(step.within));
    case 'load':
      return await startLoad(context, state, time);
    case 'probe':
      await startProbe(context, state, { everyMs: time(step.every), kept: step.kept, way: step.way ?? 'any' });
      return true;
    case 'hold':
      recorder.record({ kind: 'wait', describe: `for ${fromMatrix(step.for, cell.values)} (${time(step.for)} ms)` });
      await life.endedWithin(time(step.for));
      return true;
    case 'signal':
      startSampler(context, state);
      if (life.ended.aborted) return true; // the evidence says it ended by itself before
      return await sendBy(step.by, container, recorder, evaluateSignal(step.signal, cell.values, basis.terms));
    case 'storm':
      startSampler(context, state);
      await sendStorm(container, recorder, {
        signal: evaluateSignal(step.signal, cell.values, basis.terms),
        count: step.count,
        withinMs: time(step.within),
        ended: life.ended,
      });
      return true;
    case 'stop': {
      const mode = fromMatrix(step.timeout, cell.values) === 'default' ? 'default' : 'given';
      const timeoutS =
        mode === 'given' ? Math.ceil((hardBoundMs(basis.terms) + basis.terms.allowanceMs) / 1000) : undefined;
      startSampler(context, state);
      state.stopping = engineStop(container, recorder, mode, timeoutS);
      state.stopping.catch(() => undefined); // awaited with the exit
      return true;
    }
    case 'gate-closed':
      await awaitGateClosed(context, state, time(step.within), step.within);
      return true;
    case 'ask':
      await askOnce(context, state);
      return true;
    case 'upgrade':
      await askUpgrades(context, (await state.loading) ?? []);
      return true;
    case 'finish':
      for (const [at, work] of ((await state.loading) ?? []).entries()) {
        if (at % FINISHED_AT_ONCE === FINISHED_AT_ONCE - 1) await loopTurn();
        work.finish();
      }
      return true;
    case 'watch':
      await watchServing(context, time(step.for), time(step.every));
      return true;
    case 'starting':
      state.readying ??= watchReadiness(context);
      if (state.readying) await untilOffset(context, state.readying, time(step.for));
      return state.readying !== undefined;
    case 'settle':
      if (state.readying) await settle(context, state.readying, { forMs: time(step.for), withinMs: time(step.within) });
      return true;
    case 'pending':
      state.readying ??= watchReadiness(context);
      if (state.readying === undefined) return false;
      return await awaitPending(context, state.readying, { peer: peerOf(step), limitMs: time(step.within) });
    case 'release':
      await releasePeer(context, peerOf(step));
      return true;
    case 'early-probe':
      state.early ??= probeEarly(context, time(step.every));
      return true;
    case 'look-inside':
      await lookInside(context);
      return true;
    case 'exited':
      await awaitExit(context, state, time(step.within), step.within);
      return true;
    case 'write-state':
      if (context.target.state) await writeState(context.target.state, context.vantage, recorder, newToken());
      return true;
    case 'restart':
      return true; // by liveAgain, once all of the first life is on record
  }
}

const UNREACHED = 'an engine on which the helper can run beside the container';

async function startLoad(
  context: ScriptContext,
  state: ScriptState,
  time: (expression: string) => number,
): Promise<boolean> {
  const { recorder, scenario, target, vantage, cell } = context;
  if (vantage.address === undefined)
    return missing(context, 'direct', `the container cannot be reached (${vantageOf(context)})`, UNREACHED);
  const loads = resolveColumns(scenario.load ?? [], cell.values);
  const { address, dial } = vantage;
  state.loading = startLoads({ loads, at: { address, ...(dial && { dial }) }, target, recorder, time });
  return (await state.loading).length > 0;
}

/** The probe watches from here on; where it cannot, that is recorded, and the script goes on without it. */
async function startProbe(
  context: ScriptContext,
  state: ScriptState,
  { everyMs, kept, way: wanted }: { readonly everyMs: number; readonly kept: number; readonly way: Way },
): Promise<void> {
  const { recorder, target, vantage, life, container, sidecar } = context;
  const { address, dial } = vantage;
  if (address === undefined || life.reader === undefined) {
    const message = `the container cannot be reached, or its processes cannot be seen (${vantageOf(context)})`;
    recorder.record({ kind: 'probe.failed', message, tried: [] });
    return;
  }
  const way = accessOf(wanted, target, { address, ...(dial && { dial }) });
  if ('missing' in way) {
    recorder.record({ kind: 'probe.failed', message: way.missing.reason, tried: [] });
    return;
  }
  state.probing = startAdmissionProbe({
    access: way.access,
    through: sidecar ? { relay: sidecar.relay } : { pid: container.pid },
    request: probedRoute(target),
    everyMs,
    kept,
    recorder,
    fromMonotonic: context.fromMonotonic,
    ended: life.ended,
  });
  await state.probing;
}

/** What is not declared cannot be asked: recorded, and the rest is. */
async function askOnce({ target, recorder }: ScriptContext, state: ScriptState): Promise<void> {
  const { control, liveness } = target.endpoints;
  const undeclared = missingNeed('liveness', target);
  if (undeclared) recorder.record({ kind: 'capability.missing', ...undeclared });
  await (await state.probing)?.ask(askedRoutes(target.ready, control, liveness));
}

async function awaitGateClosed(
  { recorder }: ScriptContext,
  state: ScriptState,
  limitMs: number,
  within: string,
): Promise<void> {
  const describe = `the probe sees new work turned away within ${within} (${limitMs} ms)`;
  recorder.record({ kind: 'wait', describe });
  const probe = await state.probing;
  if (probe && !(await probe.turnedAway(limitMs))) recorder.record({ kind: 'wait.expired', describe });
}

function startSampler({ life, recorder }: ScriptContext, state: ScriptState): void {
  if (life.reader)
    state.sampler ??= sampleDuringStop(life.reader, recorder, life.kernelEvents ? 'explained' : 'evidence');
}

/** Wait for the end; past the limit the harness sends the SIGKILL itself and knows that it did (architecture rule 11). */
async function awaitExit(
  context: ScriptContext,
  state: ScriptState,
  withinMs: number,
  describe: string,
): Promise<void> {
  const { recorder, life, container } = context;
  recorder.record({ kind: 'wait', describe: `PID 1 ends within ${describe} (${withinMs} ms)` });
  // from the engine's answer: counted from the call, the service would be killed short of what it may take
  const asked = recorder.observations.filter(
    (seen) => (seen.kind === 'signal.delivered' && seen.purpose === 'script') || seen.kind === 'stop.called',
  );
  // a signal into the start-up may have been lost: the one after it has all the time that a stop may take
  const first = state.readying ? asked.at(-1) : asked[0];
  const spentMs = first ? (recorder.now() - first.t) / 1e6 : 0;
  if (!(await life.endedWithin(Math.max(0, withinMs - spentMs)))) {
    const last = recorder.observations.findLast((seen) => seen.kind === 'log');
    recorder.record({
      kind: 'wait.expired',
      describe: `PID 1 ends within ${describe} (${withinMs} ms)`,
      ...(last?.kind === 'log' ? { last: `last log line: ${last.text}` } : {}),
    });
    await sendSignal(container, recorder, 'KILL', 'outer-timeout');
    // a process that the kernel cannot end: no fault of the image's stop, and nothing to wait for
    const message = `PID 1 is still there ${KILL_LIMIT_MS / 1000} s after SIGKILL: engine or kernel does not end it`;
    if (!(await life.endedWithin(KILL_LIMIT_MS))) recorder.record({ kind: 'fault', where: 'engine', message });
  }
  await state.stopping;
}
