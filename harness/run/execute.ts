import type { EngineDriver, Ownership, RunningContainer } from '../engine/driver.ts';
import type { JudgementBasis } from '../model/clause.ts';
import type { EngineFacts, ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { Header } from '../model/history.ts';
import type { CellRef } from '../model/plan.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import { recordEngineEvents, recordExitState } from '../observe/after-exit.ts';
import { completeLogs } from '../observe/complete-logs.ts';
import type { LogLines } from '../observe/log-lines.ts';
import { recordLogLines } from '../observe/log-lines.ts';
import type { ObservationSink, Recorder } from '../observe/recorder.ts';
import { createRecorder } from '../observe/recorder.ts';
import { observeRelayStalls } from '../observe/relay-stalls.ts';
import { observeStalls } from '../observe/stalls.ts';
import { cellContainer } from './cell-container.ts';
import { cellHeader } from './cell-header.ts';
import { takePlace } from './cell-place.ts';
import type { CellSetting } from './cell-setting.ts';
import { cellSetting } from './cell-setting.ts';
import type { RunClock } from './clock.ts';
import { startClock } from './clock.ts';
import { healthAsked } from './health-asked.ts';
import type { Life } from './life.ts';
import { watchLife } from './life.ts';
import { engineCall } from './recorded-call.ts';
import { runScript } from './script.ts';
import { liveAgain, mayLiveAgain } from './second-life.ts';
import type { TargetSidecar } from './target-sidecar.ts';
import type { PlayedPeers } from './start-up-peers.ts';
import type { Vantage } from './vantage.ts';
import { withConfigServer } from './with-config-server.ts';
import { withController } from './with-controller.ts';
import type { Dependencies } from './with-dependencies.ts';
import { withDependencies } from './with-dependencies.ts';

/** How long the attached stream may take to end after the exit: Docker needs 20 to 30 ms, Podman up to 5. */
const OUTPUT_END_LIMIT_MS = 2000;

/** How long an engine that says that a container has ended may take to say so to whoever waits for it. */
const SEEN_END_LIMIT_MS = 10_000;

const noDependencies: Dependencies = { running: [] };

/** Everything one cell needs. */
export interface CellContext {
  readonly run: string;
  readonly harness: Header['harness'];
  readonly cell: CellRef;
  readonly scenario: Scenario;
  readonly target: Target;
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  readonly image: ImageFacts;
  readonly basis: JudgementBasis;
  readonly network: string;
  /** What the target needs besides itself. */
  readonly dependencies?: Dependencies;
  /** The address of the run's network on this host, where it has one: a played controller listens there. */
  readonly gateway?: string;
  readonly ownership: Ownership;
  /** Leave the container for a look. */
  readonly keep: boolean;
  /** `--vantage`. */
  readonly wantedVantage?: Vantage;
  /** The helper's image on this engine, for sidecars. */
  readonly sidecarImage?: string;
  /** The helper binary on this host, for local engines. */
  readonly helper?: string;
  readonly openHistory: (header: Header) => ObservationSink;
}

/**
 * Run one cell: one container, one history. Judges nothing and never throws for what the image or the engine does:
 * everything becomes an observation, and the container is removed whatever happens.
 */
export async function executeCell(planned: CellContext): Promise<void> {
  const setting = cellSetting(planned.scenario, planned.cell.values, planned.target, planned.basis);
  // The planner plans no cell that lacks something; one from elsewhere says so in its history.
  const context = 'missing' in setting ? planned : { ...planned, ...withSetting(planned, setting) };
  const clock = startClock();
  const recorder = createRecorder(context.openHistory(cellHeader(context, clock)), clock.now, context.target.secrets);
  const stopStalls = observeStalls(recorder);
  try {
    if ('missing' in setting) recorder.record({ kind: 'capability.missing', ...setting.missing });
    else
      await withDependencies(context.dependencies ?? noDependencies, context.driver, recorder, async () => {
        await withConfigServer(context, setting, recorder, async (fromServer, configServer) => {
          await withController(context, setting, recorder, async (env, controller) => {
            const target = { ...context.target, env: { ...context.target.env, ...fromServer, ...env } };
            const peers = { ...(controller && { controller }), ...(configServer && { configServer }) };
            await runContainer({ ...context, target }, setting, recorder, clock, peers);
          });
        });
      });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    recorder.record({ kind: 'fault', where: error instanceof EngineError ? 'engine' : 'harness', message });
  } finally {
    stopStalls();
    recorder.record({ kind: 'end' });
    recorder.close();
  }
}

/** What a setting changes of a cell's context: its terms and its environment. */
function withSetting({ target }: CellContext, setting: CellSetting): Pick<CellContext, 'basis' | 'target'> {
  return { basis: setting.basis, target: { ...target, env: { ...target.env, ...setting.env } } };
}

async function runContainer(
  context: CellContext,
  setting: CellSetting,
  recorder: Recorder,
  clock: RunClock,
  peers: PlayedPeers,
): Promise<void> {
  const { ready } = context.target;
  const logs = recordLogLines(recorder, ready.kind === 'log' ? ready.pattern : undefined);
  const output = Promise.withResolvers<void>();
  const container = await startContainer(context, setting, recorder, logs, output.resolve);
  if (container === undefined) return;
  let life: Life | undefined;
  let sidecar: TargetSidecar | undefined;
  let stopBeats = (): void => undefined;
  try {
    const place = await takePlace(context, container, recorder, clock);
    sidecar = place.sidecar;
    if (sidecar) stopBeats = observeRelayStalls(sidecar.relay, recorder);
    const beside = { outputEnded: output.promise, ...(sidecar && { sidecar }) };
    life = await watchLife({ ...context, container, recorder, clock, ...beside });
    if (place.ended) await life.endedWithin(SEEN_END_LIMIT_MS);
    const { tls } = context.target;
    const { address } = place;
    const dial = sidecar && { dial: sidecar.relay.dial };
    const health = healthAsked(context.driver, container.id);
    const vantage = { address, health, ...dial, ...(tls === undefined ? {} : { tls }) };
    const { fromMonotonic } = clock;
    await runScript({
      ...context,
      container,
      recorder,
      life,
      vantage,
      fromMonotonic,
      ...(sidecar && { sidecar }),
      ...peers,
    });
    if (life.ended.aborted) await afterExit(context, container, recorder, clock, logs, output.promise);
    if (mayLiveAgain(context, recorder)) {
      // nothing of the first life goes on beside the second: the sidecar holds the network that the container had
      await life.close();
      stopBeats();
      const gone = sidecar;
      sidecar = undefined;
      if (gone) await engineCall(recorder, 'remove sidecar', async () => await gone.remove());
      await liveAgain(context, container, recorder, clock);
    }
  } finally {
    await life?.close();
    logs.finish();
    stopBeats();
    try {
      if (sidecar) await engineCall(recorder, 'remove sidecar', async () => await sidecar?.remove());
    } finally {
      if (!context.keep) {
        await engineCall(recorder, 'remove', () => container.remove());
        recorder.record({ kind: 'container.removed' });
      }
    }
  }
}

/** A container that the engine refuses to start is a fact about the image, unless the engine itself is lost. */
async function startContainer(
  context: CellContext,
  setting: CellSetting,
  recorder: Recorder,
  logs: LogLines,
  onOutputEnd: () => void,
): Promise<RunningContainer | undefined> {
  const spec = cellContainer(context, setting);
  try {
    return await engineCall(recorder, 'create and start', () =>
      context.driver.start(spec, {
        onCreated: (id, name) => recorder.record({ kind: 'container.created', id, name }),
        onOutput: (stream, chunk) => logs.accept(stream, chunk),
        onOutputEnd,
      }),
    );
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost || error.missing === 'file') throw error;
    if (error.missing !== undefined) {
      const declare = 'the package catatonit, or another engine';
      recorder.record({ kind: 'capability.missing', capability: error.missing, reason: error.message, declare });
      return undefined;
    }
    recorder.record({
      kind: 'ready.failed',
      reason: 'exited',
      message: `the engine could not start the container: ${error.message}`,
    });
    return undefined;
  }
}

async function afterExit(
  context: CellContext,
  container: RunningContainer,
  recorder: Recorder,
  clock: RunClock,
  logs: LogLines,
  outputEnded: Promise<void>,
): Promise<void> {
  const fromEngine = (ns: bigint): number => clock.fromRealtime(ns, context.engine.clockOffsetMs);
  await engineCall(recorder, 'inspect after exit', () => recordExitState(container, recorder, fromEngine));
  const late = new Promise<'open'>((resolve) => setTimeout(resolve, OUTPUT_END_LIMIT_MS, 'open').unref());
  logs.finish(await Promise.race([outputEnded.then(() => 'ended' as const), late]));
  try {
    await engineCall(recorder, 'logs', () => completeLogs(container, recorder, logs));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    logs.finish();
    const counts = {
      attachedLines: logs.lines,
      storedLines: 0,
      missing: [],
      ...(logs.open && { attachedOpen: true as const }),
    };
    recorder.record({ kind: 'log.complete', ...counts, error: message });
    if (error instanceof EngineError && error.lost) throw error;
  }
  await engineCall(recorder, 'events', () => recordEngineEvents(container, recorder, fromEngine));
}
