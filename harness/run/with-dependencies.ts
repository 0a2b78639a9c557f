import type { EngineDriver } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { RunningDependency } from './dependency.ts';

/** A reset that takes longer than this hangs. */
const RESET_LIMIT_MS = 60_000;

/** What a cell's target needs besides itself. */
export interface Dependencies {
  readonly running: readonly RunningDependency[];
  /** Why they are not all there. */
  readonly failure?: string;
}

/**
 * Run a cell with its dependencies: they run, and are as their reset leaves them. Where they are not, that is a fault and
 * nothing is run: never a failure of the image. One that ends in the meantime is a fault from the cell's beginning on,
 * since what the service did about it, before or after, is not to be judged.
 */
export async function withDependencies(
  { running, failure }: Dependencies,
  driver: EngineDriver,
  recorder: Recorder,
  run: () => Promise<void>,
): Promise<void> {
  const begin = recorder.now();
  const broken = failure ?? (await firstThatEnded(driver, running)) ?? (await whyNotReset(driver, running));
  if (broken !== undefined) {
    recorder.record({ kind: 'fault', where: 'dependency', message: broken });
    return;
  }
  try {
    await run();
  } finally {
    const ended = await firstThatEnded(driver, running);
    if (ended !== undefined) recorder.record({ kind: 'fault', t: begin, where: 'dependency', message: ended });
  }
}

async function firstThatEnded(
  driver: EngineDriver,
  running: readonly RunningDependency[],
): Promise<string | undefined> {
  for (const dependency of running) {
    const how = await endOf(driver, dependency);
    if (how !== undefined) return `${nameOf(dependency)} ${how} during the run; its output: ${dependency.log}`;
  }
  return undefined;
}

async function endOf(driver: EngineDriver, { container }: RunningDependency): Promise<string | undefined> {
  try {
    const state = await driver.stateOf(container);
    return state.running
      ? undefined
      : `ended with exit code ${state.exitCode}${state.oomKilled ? ', out of memory,' : ''}`;
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost) throw error;
    return 'was removed';
  }
}

/** A reset fails, too, where its dependency ends meanwhile: then that is the reason, not what an engine says of the command. */
async function whyNotReset(driver: EngineDriver, running: readonly RunningDependency[]): Promise<string | undefined> {
  const why = await firstNotReset(driver, running);
  return why === undefined ? undefined : ((await firstThatEnded(driver, running)) ?? why);
}

async function firstNotReset(driver: EngineDriver, running: readonly RunningDependency[]): Promise<string | undefined> {
  for (const dependency of running) {
    const { reset, container } = dependency;
    if (reset === undefined) continue;
    const how = `its reset (${reset[0]} …)`;
    try {
      const { exitCode, output } = await driver.runIn(container, reset, RESET_LIMIT_MS);
      if (exitCode !== 0) return `${nameOf(dependency)}: ${how} ended with exit code ${exitCode}: ${lastOf(output)}`;
    } catch (error) {
      if (!(error instanceof EngineError) || error.lost) throw error;
      return `${nameOf(dependency)}: ${how} could not be run: ${error.message}`;
    }
  }
  return undefined;
}

const nameOf = ({ alias, reference }: RunningDependency): string => `dependency ${alias} (${reference})`;

function lastOf(output: string): string {
  return output.trim().split('\n').slice(-3).join(' | ') || 'it wrote nothing';
}
