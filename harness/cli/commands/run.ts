import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { clauses } from '../../contract/index.ts';
import { EXIT } from '../../judge/exit-codes.ts';
import { EngineError, HarnessError, StoreError, UsageError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import type { Fault } from '../../model/report.ts';
import { chooseImages, enginesOf, loadProfiles } from '../../profile/choose-images.ts';
import type { Helper } from '../../run/helper-image.ts';
import { findHelper } from '../../run/helper-image.ts';
import { processIdentity } from '../../run/owner.ts';
import { writeFaults } from '../../store/faults-file.ts';
import { PLAN_FORMAT } from '../../store/plan-file.ts';
import { RunDirectory } from '../../store/run-directory.ts';
import { runId } from '../../store/run-id.ts';
import { Runner } from '../../vitest/start.ts';
import { carryOut } from '../carry-out.ts';
import { defaultJobs } from '../default-jobs.ts';
import { finishRun } from '../finish.ts';
import { imageChoice } from '../image-choice.ts';
import { forgetOldRuns } from '../keep-runs.ts';
import { catchInterrupts } from '../interrupts.ts';
import { listEverything, showPlan } from '../listing.ts';
import { Looks } from '../looks.ts';
import type { RunOptions } from '../options.ts';
import { parseRunOptions } from '../options.ts';
import { checkOutFolder } from '../out-folder.ts';
import { packageRoot, packageVersion, scenarioFolder } from '../package-info.ts';
import { maskOf, prepareRun } from '../prepare.ts';
import type { Progress } from '../progress.ts';
import { createProgress } from '../progress.ts';
import { addScenarios, loadScenarios } from '../scenario-files.ts';
import { checkPlanned, checkRequired, select } from '../selection.ts';
import type { Engines } from '../session.ts';
import { cleanUp, openEngines } from '../session.ts';

/** What says of a fault where it was is no text of somebody else's. */
const FAULT_PLACE: ReadonlySet<string> = new Set(['where', 'engine', 'history']);

/**
 * `lf-qualify run`: the whole path from images to reports. Gives the exit code. Throws only for bad input, before
 * anything was started; an engine that is missing or lost gets a report too.
 */
export async function run(images: readonly string[], raw: Readonly<Record<string, unknown>>): Promise<number> {
  const options = parseRunOptions(images, raw, process.env);
  const catalogue = await addScenarios(await loadScenarios(scenarioFolder), options.scenarios);
  const selection = select(options.only, options.skip, catalogue.scenarios);
  checkRequired(options.flags.require);
  if (options.list) {
    process.stdout.write(listEverything(catalogue, selection, scenarioFolder));
    return EXIT.qualified;
  }
  const known = clauses.map(({ id }) => id);
  const environment = { ...options.fileEnv, ...process.env };
  const profiles =
    options.profile === undefined ? undefined : await loadProfiles(options.profile, { clauses: known, environment });
  const chosen = chooseImages(profiles, options.images);
  if (!options.plan) checkOutFolder(options.out);
  const count = { total: 0 };
  const progress = createProgress({ stream: process.stderr, verbose: options.verbose, total: () => count.total });
  const interrupt = catchInterrupts(progress);
  const wanted = options.engines.length > 0 ? options.engines : enginesOf(chosen);
  const problems: Fault[] = [];
  const runner = options.plan ? undefined : startRunner(progress, problems, interrupt.signal);
  const id = runId(new Date(), randomBytes(3).toString('hex'));
  const faults: Fault[] = [];
  let engines: Engines | undefined;
  let directory: RunDirectory | undefined;
  let cleaned: Promise<void> | undefined;
  let looks: Looks | undefined;
  try {
    const helper = await needHelper();
    engines = await openEngines(wanted, process.env, undefined, options.source.from);
    introduce(engines, progress);
    const subjects = chosen.map((image) => ({ ...image, flags: options.flags, selection }));
    const { repeat, strict } = options;
    const images = imageChoice(options.source, engines, process.env, progress.say);
    looks = options.discovery
      ? looksOf(options, { engines, helper, id, progress, interrupt: interrupt.signal })
      : undefined;
    const context = { images, engines, catalogue, helper, id, progress, ...(looks && { looks }) };
    const preparing = prepareRun({ subjects, repeat, strict, ...context });
    const prepared = await interrupt.or(preparing);
    checkPlanned(options.only, prepared.plan);
    if (runner === undefined) {
      process.stdout.write(showPlan(prepared.plan));
      return EXIT.qualified;
    }
    directory = await RunDirectory.create(resolve(options.out), id, processIdentity());
    await directory.writePlan(prepared.plan);
    count.total = prepared.plan.targets.reduce((sum, { cells }) => sum + cells.length, prepared.plan.instrument.length);
    const add = (more: number): void => {
      count.total += more;
    };
    const jobs = options.jobs ?? defaultJobs(prepared.plan, availableParallelism());
    const work = {
      options: { ...options, jobs },
      prepared,
      engines,
      directory,
      runner,
      progress,
      interrupt: interrupt.signal,
      add,
    };
    const done = await carryOut(work);
    cleaned = done.cleaned;
    faults.push(...maskOf(prepared.targets).value([...done.faults, ...problems], FAULT_PLACE));
  } catch (error) {
    if (runner === undefined && interrupt.signal.aborted) return EXIT.fault; // said when the signal came
    if (error instanceof UsageError || runner === undefined) throw error;
    if (!interrupt.signal.aborted) faults.push(faultOf(error));
  } finally {
    // What an interrupted look is making would come too late for the clean-up.
    await looks?.settled();
    // What was carried over before anything ran goes too, whatever ended the preparation.
    cleaned ??= cleanUp(engines?.open ?? [], id, progress, interrupt.signal.aborted);
    runner?.kill();
    progress.stop();
    await (directory === undefined ? cleaned : undefined);
    if (runner === undefined || directory === undefined) await engines?.close();
  }
  try {
    if (interrupt.signal.aborted) {
      faults.push({ where: 'interrupted', message: `interrupted by ${String(interrupt.signal.reason)}` });
    }
    if (directory === undefined) {
      directory = await RunDirectory.create(resolve(options.out), id, processIdentity());
      await directory.writePlan(emptyPlan(id, engines, options));
    }
    await writeFaults(directory.path, faults);
    const exitCode = await finishRun(directory.path, options.format);
    await directory.release();
    if (options.keepRuns !== undefined) await forgetOldRuns(resolve(options.out), options.keepRuns, progress.say);
    return exitCode;
  } finally {
    await cleaned;
    await engines?.close();
    interrupt.release();
  }
}

/** The helper of this platform. Without it no engine can be put to its self-test, so nothing could be judged. */
async function needHelper(): Promise<Helper> {
  const helper = await findHelper(packageRoot);
  if (helper !== undefined) return helper;
  throw new HarnessError(
    `there is no helper binary for ${process.arch}: in a clone, npm run images builds it; a published package has it for x64 and arm64`,
  );
}

function looksOf(
  { vantage }: RunOptions,
  run: { engines: Engines; helper: Helper; id: string; progress: Progress; interrupt: AbortSignal },
): Looks {
  const { engines, id, ...rest } = run;
  const ownership = { run: id, owner: processIdentity() };
  return new Looks({ ...rest, engines: engines.open, ownership, ...(vantage && { vantage }) });
}

/** A fault of the report for whatever broke: an engine, or the harness itself with its trace, to be reported. */
function faultOf(error: unknown): Fault {
  if (error instanceof EngineError) return { where: 'engine', message: error.message };
  if (error instanceof HarnessError || error instanceof StoreError) return { where: 'harness', message: error.message };
  return { where: 'harness', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
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

function introduce(engines: Engines, progress: Progress): void {
  for (const { facts } of engines.open) {
    progress.say(`${facts.name} ${facts.version} at ${facts.address}${facts.rootless ? ', rootless' : ''}`);
  }
  for (const { engine, failure } of engines.notJudged) progress.say(`${engine}: not judged (${failure})`);
}

/** The plan of a run that could not get as far as having one: its report holds the fault. */
function emptyPlan(run: string, engines: Engines | undefined, { strict }: RunOptions): Plan {
  return {
    format: PLAN_FORMAT,
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
