import type { ContainerSpec, EngineDriver, HeldContainer, Ownership } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { Observation } from '../model/observation.ts';
import type { ReportedDependency } from '../model/report.ts';
import type { Dependency } from '../model/target.ts';
import { recordLogLines } from '../observe/log-lines.ts';
import { awaitReady } from '../observe/readiness.ts';
import type { Recorder } from '../observe/recorder.ts';
import { createRecorder } from '../observe/recorder.ts';
import { startClock } from './clock.ts';
import { healthAsked } from './health-asked.ts';
import type { Place } from './place.ts';
import { placeOf } from './place.ts';
import type { Vantage } from './vantage.ts';

/** Log lines that stand in the sentence about a dependency that failed. */
const LAST_LINES = 5;

/** A dependency that runs, as the cells need it. Handed over by IPC: without its environment. */
export interface RunningDependency {
  readonly alias: string;
  readonly reference: string;
  /** Id of its container. */
  readonly container: string;
  readonly address?: string;
  readonly reset?: readonly string[];
  /** Its output, relative to the run directory. */
  readonly log: string;
}

/** How a dependency came up: running and ready, or why not. */
export interface StartedDependency {
  readonly running?: RunningDependency;
  readonly reported: ReportedDependency;
  /** Write what is left of its output. */
  close(): void;
}

export interface DependencyStart {
  readonly dependency: Dependency;
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  readonly name: string;
  readonly network: string;
  readonly outbound: boolean;
  /** Dependencies that run already, by their alias. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly ownership: Ownership;
  readonly secrets: readonly string[];
  /** Nothing is waited for any more once it is aborted. */
  readonly interrupt: AbortSignal;
  /** `--vantage`, and the helper's image for a sidecar. */
  readonly vantage?: Vantage;
  readonly helperImage?: string;
  /** Path of the log relative to the run directory, and how to write a line there. */
  readonly log: string;
  readonly openLog: () => { append(text: string): void; close(): void };
}

/**
 * Start a dependency and wait until it is ready. One that does not come up is told, not thrown: it is a fact about what
 * was declared. Its output goes to its log, with secrets masked. Throws EngineError for an engine that was lost.
 */
export async function startDependency(start: DependencyStart): Promise<StartedDependency> {
  const { dependency, driver } = start;
  const { alias, reference, image: digest, ready, reset } = dependency;
  const clock = startClock();
  const file = start.openLog();
  const recorder = createRecorder({ append: (seen) => writeLine(file, seen), close: () => file.close() }, clock.now, [
    ...start.secrets,
  ]);
  const logs = recordLogLines(recorder, ready.kind === 'log' ? ready.pattern : undefined);
  const ended = new AbortController();
  let held: HeldContainer | undefined;
  const close = (): void => {
    logs.finish();
    recorder.close();
  };
  const fail = (why: string): StartedDependency => {
    close();
    const failure = recorder.mask.text(
      `dependency ${alias} (${reference}) ${why}${lastLines(recorder)}; all of its output: ${start.log}`,
    );
    return { reported: { alias, reference, digest, failure, log: start.log }, close: () => undefined };
  };
  try {
    const outputEnd = Promise.withResolvers<void>();
    held = await driver.hold(specOf(start), {
      onOutput: (stream, chunk) => logs.accept(stream, chunk),
      onOutputEnd: outputEnd.resolve,
    });
    const { id, address } = held;
    recorder.record({ kind: 'container.started', pid: 0, vantage: 'none' });
    void outputEnd.promise
      .then(async () => {
        if (!(await driver.stateOf(id)).running) ended.abort();
      })
      .catch(() => undefined); // a lost engine fails the wait below by itself
    const isReady = await waitUntilReady(start, held, recorder, AbortSignal.any([ended.signal, start.interrupt]));
    if (!isReady) return fail(await whyNot(driver, id, recorder));
    const readyAfterMs = Math.round(recorder.now() / 1e6);
    const running = {
      alias,
      reference,
      container: id,
      log: start.log,
      ...(reset && { reset }),
      ...(address && { address }),
    };
    return { running, reported: { alias, reference, digest, readyAfterMs, log: start.log }, close };
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost) {
      close();
      throw error;
    }
    return fail(`could not be started: ${error.message}`);
  }
}

function specOf({ dependency, name, network, hosts, outbound, ownership }: DependencyStart): ContainerSpec {
  const { alias, image, env, files, volumes, command, user, memoryBytes } = dependency;
  return {
    name,
    image,
    env,
    files,
    volumes,
    network,
    hosts,
    outbound,
    ownership,
    aliases: [alias],
    ...(command && { command }),
    ...(user === undefined ? {} : { user }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  };
}

async function waitUntilReady(
  start: DependencyStart,
  held: HeldContainer,
  recorder: Recorder,
  ended: AbortSignal,
): Promise<boolean> {
  const { dependency, driver } = start;
  const { ready: spec, startTimeoutMs: limitMs } = dependency;
  const asksPort = spec.kind === 'http' || spec.kind === 'tcp';
  const place: Place = asksPort ? await placeOf({ ...start, container: held }) : { address: undefined };
  try {
    const vantage = { ...place, health: healthAsked(driver, held.id) };
    return await awaitReady({ spec, vantage, answers: 1, limitMs, recorder, ended });
  } finally {
    await place.close?.();
  }
}

async function whyNot(driver: EngineDriver, id: string, recorder: Recorder): Promise<string> {
  const failed = recorder.observations.findLast((seen) => seen.kind === 'ready.failed');
  const { running, exitCode } = await driver.stateOf(id);
  if (!running) return `ended with exit code ${exitCode} before it was ready`;
  return `is ${failed?.message}${failed?.lastError === undefined ? '' : `: ${failed.lastError}`}`;
}

function lastLines(recorder: Recorder): string {
  const lines = recorder.observations.filter((seen) => seen.kind === 'log').slice(-LAST_LINES);
  return lines.length === 0 ? '; it wrote nothing' : `; it last wrote: ${lines.map(({ text }) => text).join(' | ')}`;
}

function writeLine(file: { append(text: string): void }, seen: Observation): void {
  if (seen.kind === 'log') file.append(`${seen.stream === 'stderr' ? 'stderr: ' : ''}${seen.text}\n`);
  if (seen.kind === 'log.left-out')
    file.append(`(left out: ${seen.lines} lines, ${seen.bytes} bytes of ${seen.stream})\n`);
}
