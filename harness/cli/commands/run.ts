import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { clauses } from '../../contract/index.ts';
import { EngineError, UsageError } from '../../model/errors.ts';
import { HISTORY_FORMAT } from '../../model/history.ts';
import type { Plan } from '../../model/plan.ts';
import type { Profile } from '../../model/profile.ts';
import type { Fault } from '../../model/report.ts';
import { loadProfile } from '../../profile/load-profile.ts';
import { findHelper } from '../../run/helper-image.ts';
import { writeFaults } from '../../store/faults-file.ts';
import { RunDirectory } from '../../store/run-directory.ts';
import { runId } from '../../store/run-id.ts';
import { Runner } from '../../vitest/start.ts';
import { carryOut } from '../carry-out.ts';
import { finishRun } from '../finish.ts';
import { catchInterrupts } from '../interrupts.ts';
import { listEverything, showPlan } from '../listing.ts';
import type { RunOptions } from '../options.ts';
import { parseRunOptions } from '../options.ts';
import { packageRoot, packageVersion, scenarioFolder } from '../package-info.ts';
import { prepareRun } from '../prepare.ts';
import type { Progress } from '../progress.ts';
import { createProgress } from '../progress.ts';
import { loadScenarios } from '../scenario-files.ts';
import { select } from '../selection.ts';
import type { Engines } from '../session.ts';
import { cleanUp, openEngines } from '../session.ts';

/**
 * `lf-qualify run`: the whole path from images to reports. Gives the exit code. Throws only for bad input, before
 * anything was started; an engine that is missing or lost gets a report too.
 */
export async function run(images: readonly string[], raw: Readonly<Record<string, unknown>>): Promise<number> {
  const options = parseRunOptions(images, raw, process.env);
  const catalogue = await loadScenarios(scenarioFolder);
  const selection = select(options.only, options.skip, catalogue.scenarios);
  if (options.list) {
    process.stdout.write(listEverything(catalogue.scenarios, selection));
    return 0;
  }
  const known = clauses.map(({ id }) => id);
  const profile = options.profile === undefined ? undefined : await loadProfile(options.profile, { clauses: known });
  const references = imagesOf(options, profile);
  const count = { total: 0 };
  const progress = createProgress({ stream: process.stderr, verbose: options.verbose, total: () => count.total });
  const interrupt = catchInterrupts(progress);
  const wanted = options.engines.length > 0 ? options.engines : (profile?.engines ?? []);
  const problems: Fault[] = [];
  const runner = options.plan ? undefined : startRunner(progress, problems, interrupt.signal);
  const id = runId(new Date(), randomBytes(3).toString('hex'));
  let engines: Engines | undefined;
  try {
    engines = await openEngines(wanted, process.env);
    introduce(engines, progress);
    const helper = await findHelper(packageRoot);
    const prepared = await prepareRun({
      options,
      references,
      profile,
      engines,
      catalogue,
      selection,
      helper,
      id,
      progress,
    });
    if (runner === undefined) {
      process.stdout.write(showPlan(prepared.plan));
      await cleanUp(engines.open, id, progress, false);
      return 0;
    }
    const directory = await RunDirectory.create(resolve(options.out), id);
    await directory.writePlan(prepared.plan);
    count.total = prepared.plan.targets.reduce((sum, { cells }) => sum + cells.length, prepared.plan.instrument.length);
    const add = (more: number): void => {
      count.total += more;
    };
    const { faults, cleaned } = await carryOut({
      options,
      prepared,
      engines,
      directory,
      runner,
      progress,
      interrupt: interrupt.signal,
      add,
    });
    faults.push(...problems);
    if (interrupt.signal.aborted) {
      faults.push({ where: 'interrupted', message: `interrupted by ${String(interrupt.signal.reason)}` });
    }
    try {
      return await conclude(directory, faults, options, progress);
    } finally {
      await cleaned;
    }
  } catch (error) {
    if (!(error instanceof EngineError) || options.plan) throw error;
    const directory = await RunDirectory.create(resolve(options.out), id);
    await directory.writePlan(emptyPlan(id, engines, options));
    return await conclude(directory, [{ where: 'engine', message: error.message }], options, progress);
  } finally {
    interrupt.release();
    progress.stop();
    runner?.kill();
    await engines?.close();
  }
}

/** The test runner, with its progress shown and its problems kept; Ctrl-C kills it. */
function startRunner(progress: Progress, problems: Fault[], interrupt: AbortSignal): Runner {
  const runner = new Runner((message) => {
    if (message.type === 'begin') progress.begin(message.path);
    if (message.type === 'end') progress.end(message.path);
    if (message.type === 'problem' && !interrupt.aborted) {
      progress.say(`test runner: ${message.message}`);
      problems.push({ where: 'harness', message: message.message });
    }
  });
  interrupt.addEventListener('abort', () => runner.kill(), { once: true });
  return runner;
}

function imagesOf(options: RunOptions, profile: Profile | undefined): readonly string[] {
  if (options.images.length > 0) return options.images;
  if (profile?.image !== undefined) return [profile.image];
  throw new UsageError('no image is given: name one, as in lf-qualify orders:1.4, or give a --profile with "image:"');
}

function introduce(engines: Engines, progress: Progress): void {
  for (const { facts } of engines.open) {
    progress.say(`${facts.name} ${facts.version} at ${facts.address}${facts.rootless ? ', rootless' : ''}`);
  }
  for (const { engine, failure } of engines.notJudged) progress.say(`${engine}: not judged (${failure})`);
}

async function conclude(
  directory: RunDirectory,
  faults: readonly Fault[],
  options: RunOptions,
  progress: Progress,
): Promise<number> {
  await writeFaults(directory.path, faults);
  progress.stop();
  return await finishRun(directory.path, options.format);
}

/** The plan of a run that could not get as far as having one: its report holds the fault. */
function emptyPlan(run: string, engines: Engines | undefined, { strict }: RunOptions): Plan {
  return {
    format: HISTORY_FORMAT,
    run,
    startedAt: new Date().toISOString(),
    harness: { version: packageVersion(), node: process.versions.node },
    engines: engines?.open.map(({ facts }) => facts) ?? [],
    notJudged: engines?.notJudged ?? [],
    targets: [],
    instrument: [],
    strict,
  };
}
