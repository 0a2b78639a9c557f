import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { clauses } from '../../contract/index.ts';
import { retryable } from '../../judge/judge.ts';
import { EngineError, UsageError } from '../../model/errors.ts';
import type { History } from '../../model/history.ts';
import type { CellRef } from '../../model/plan.ts';
import type { Profile } from '../../model/profile.ts';
import type { Fault } from '../../model/report.ts';
import { loadProfile } from '../../profile/load-profile.ts';
import type { RunnerJob } from '../../run/job.ts';
import { findHelper } from '../../run/helper-image.ts';
import { processIdentity } from '../../run/owner.ts';
import { nextSample } from '../../run/plan.ts';
import { abandoned, KEPT, sweep } from '../../run/sweep.ts';
import { writeFaults } from '../../store/faults-file.ts';
import { readRun } from '../../store/read-run.ts';
import { RunDirectory } from '../../store/run-directory.ts';
import { runId } from '../../store/run-id.ts';
import type { PreparedRun } from '../prepare.ts';
import { buildJob, openSites, prepareRun } from '../prepare.ts';
import { listEverything, showPlan } from '../listing.ts';
import type { RunOptions } from '../options.ts';
import { parseRunOptions } from '../options.ts';
import { packageRoot, scenarioFolder } from '../package-info.ts';
import type { Progress } from '../progress.ts';
import { createProgress } from '../progress.ts';
import { finishRun } from '../finish.ts';
import { runEngines, runRounds } from '../rounds.ts';
import { loadScenarios } from '../scenario-files.ts';
import { select } from '../selection.ts';
import type { Engines } from '../session.ts';
import { cleanUp, openEngines } from '../session.ts';

/** Samples of one cell at most: the first and three repetitions, alone (architecture rule 4). */
const MOST_SAMPLES = 4;

/** `lf-qualify run`: the whole path from images to reports. Gives the exit code; throws only before anything was started. */
export async function run(images: readonly string[], raw: Readonly<Record<string, unknown>>): Promise<number> {
  const options = parseRunOptions(images, raw, process.env);
  const catalogue = await loadScenarios(scenarioFolder);
  const selection = select(options.only, options.skip, catalogue.scenarios);
  if (options.list) {
    process.stdout.write(listEverything(catalogue.scenarios, selection));
    return 0;
  }
  const profile =
    options.profile === undefined
      ? undefined
      : await loadProfile(options.profile, { clauses: clauses.map(({ id }) => id) });
  const references = imagesOf(options, profile);
  let total = 0;
  const progress = createProgress({ stream: process.stderr, verbose: options.verbose, total: () => total });
  const interrupt = catchInterrupts(progress);
  const engines = await openEngines(
    options.engines.length > 0 ? options.engines : (profile?.engines ?? []),
    process.env,
  );
  try {
    for (const { facts } of engines.open)
      progress.say(`${facts.name} ${facts.version} at ${facts.address}${facts.rootless ? ', rootless' : ''}`);
    for (const { engine, failure } of engines.notJudged) progress.say(`${engine}: not judged (${failure})`);
    const helper = await findHelper(packageRoot);
    const id = runId(new Date(), randomBytes(3).toString('hex'));
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
    if (options.plan) {
      process.stdout.write(showPlan(prepared.plan));
      return 0;
    }
    const directory = await RunDirectory.create(resolve(options.out), id);
    await directory.writePlan(prepared.plan);
    total = prepared.plan.targets.reduce((sum, { cells }) => sum + cells.length, prepared.plan.instrument.length);
    const faults = await carryOut({
      options,
      prepared,
      engines,
      directory,
      progress,
      interrupt: interrupt.signal,
      add: (more) => {
        total += more;
      },
    });
    progress.stop();
    if (interrupt.signal.aborted)
      faults.push({ where: 'interrupted', message: `interrupted by ${String(interrupt.signal.reason)}` });
    await writeFaults(directory.path, faults);
    return await finishRun(directory.path, options.format);
  } finally {
    interrupt.release();
    progress.stop();
    await engines.close();
  }
}

function imagesOf(options: RunOptions, profile: Profile | undefined): readonly string[] {
  if (options.images.length > 0) return options.images;
  if (profile?.image !== undefined) return [profile.image];
  throw new UsageError('no image is given: name one, as in lf-qualify orders:1.4, or give a --profile with "image:"');
}

/** Ctrl-C and SIGTERM end the run in order: containers gone, partial report kept. A second one ends the process at once. */
function catchInterrupts(progress: Progress): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(70);
    progress.say(
      `${name}: ending the run, removing its containers and writing the report; once more ends at once and leaves them to the next run`,
    );
    controller.abort(name);
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal).on('SIGHUP', onSignal);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('SIGHUP', onSignal);
    },
  };
}

interface Work {
  readonly options: RunOptions;
  readonly prepared: PreparedRun;
  readonly engines: Engines;
  readonly directory: RunDirectory;
  readonly progress: Progress;
  readonly interrupt: AbortSignal;
  readonly add: (cells: number) => void;
}

/** Everything between plan and judgement. Never throws: what breaks becomes a fault of the report. */
async function carryOut(work: Work): Promise<Fault[]> {
  const { options, prepared, engines, directory, progress, interrupt, add } = work;
  const faults: Fault[] = [];
  const owner = options.keep ? KEPT : processIdentity();
  try {
    for (const { driver, facts } of engines.open) {
      const { removed } = await sweep(driver, abandoned);
      for (const object of removed)
        progress.say(`${facts.name}: removed ${object.type} ${object.name}, left behind by run ${object.run}`);
    }
    const names = engines.open.map(({ facts }) => facts.name);
    const sites = openSites(prepared, { run: prepared.plan.run, owner });
    const job = (more: { jobs: number; only?: readonly CellRef[] }): Promise<RunnerJob> =>
      sites.then((open) =>
        buildJob({ prepared, sites: open, directory: directory.path, owner, keep: options.keep, ...more }),
      );
    faults.push(
      ...(await runEngines(job({ jobs: options.jobs }), names, options.jobs, progress, { signal: interrupt })),
    );
    for (let sample = 2; sample <= MOST_SAMPLES && !interrupt.aborted; sample += 1) {
      const again = await cellsToRepeat(directory.path);
      if (again.length === 0) break;
      progress.say(
        `${again.length} timing ${again.length === 1 ? 'sample is' : 'samples are'} within the uncertainty of the limit; repeating alone (${sample - 1} of ${MOST_SAMPLES - 1})`,
      );
      add(again.length);
      faults.push(...(await runRounds(job({ jobs: 1, only: again }), progress, { signal: interrupt })));
    }
  } catch (error) {
    faults.push({
      where: error instanceof EngineError ? 'engine' : 'harness',
      message: error instanceof Error ? error.message : String(error),
    });
  } finally {
    if (options.keep) progress.say('containers and networks are kept; lf-qualify clean removes them');
    else await cleanUp(engines.open, prepared.plan.run, progress);
  }
  return faults;
}

/** The latest samples that are inconclusive by timing alone, each with its next number. */
async function cellsToRepeat(path: string): Promise<CellRef[]> {
  const { histories } = await readRun(path);
  const inOrder = [...histories.values()]
    .filter((entry): entry is History => !(entry instanceof Error))
    .toSorted((a, b) => a.header.cell.sample - b.header.cell.sample);
  const latest = new Map<string, CellRef | undefined>();
  for (const history of inOrder) {
    const { cell } = history.header;
    const key = JSON.stringify([cell.engine, cell.image, cell.scenario, cell.cell, cell.repeat]);
    latest.set(key, retryable(history).length > 0 ? cell : undefined);
  }
  return [...latest.values()].filter((cell) => cell !== undefined).map(nextSample);
}
