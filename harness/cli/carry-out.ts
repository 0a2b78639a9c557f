import type { EngineName } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import type { CellRef } from '../model/plan.ts';
import type { Fault } from '../model/report.ts';
import type { RunnerJob } from '../run/job.ts';
import { processIdentity } from '../run/owner.ts';
import { Lanes } from '../run/lanes.ts';
import { withRefinements } from '../run/refine.ts';
import { cellsToRepeat, MOST_SAMPLES } from '../run/repeats.ts';
import { abandoned, KEPT, sweep } from '../run/sweep.ts';
import { readRun } from '../store/read-run.ts';
import { Turns } from '../run/turns.ts';
import type { RunDirectory } from '../store/run-directory.ts';
import type { Runner } from '../vitest/start.ts';
import type { RunOptions } from './options.ts';
import type { PreparedRun } from './prepare.ts';
import { buildJob } from './prepare.ts';
import type { Progress } from './progress.ts';
import { runEngines, runRounds } from './rounds.ts';
import type { Engines, OpenEngine, RunSite } from './session.ts';
import { cleanUp, prepareSite } from './session.ts';
import type { TargetSites } from './target-sites.ts';
import { openTargetSites } from './target-sites.ts';

interface Work {
  readonly options: Pick<RunOptions, 'keep' | 'vantage'> & { readonly jobs: number };
  readonly prepared: PreparedRun;
  readonly engines: Engines;
  readonly directory: RunDirectory;
  readonly runner: Runner;
  readonly progress: Progress;
  readonly interrupt: AbortSignal;
  /** Told of every further cell that was not in the plan. */
  readonly add: (cells: number) => void;
}

/**
 * Everything between plan and judgement. Never throws: what breaks becomes a fault of the report. `cleaned` resolves when
 * all that was made is removed again; judging need not wait for it.
 */
export async function carryOut(work: Work): Promise<{ readonly faults: Fault[]; readonly cleaned: Promise<void> }> {
  const { options, prepared, engines, progress, interrupt } = work;
  const faults: Fault[] = [];
  try {
    faults.push(...(await runEverything(work)));
  } catch (error) {
    const where = error instanceof EngineError ? 'engine' : 'harness';
    faults.push({ where, message: error instanceof Error ? error.message : String(error) });
  }
  if (!options.keep) return { faults, cleaned: cleanUp(engines.open, prepared.plan.run, progress, interrupt.aborted) };
  progress.say('containers and networks are kept; lf-qualify clean removes them');
  return { faults, cleaned: Promise.resolve() };
}

/** What one engine holds for the run, and for those of its targets that need something of their own. */
type OpenSite = RunSite & TargetSites;

async function runEverything({
  options,
  prepared,
  engines,
  directory,
  runner,
  progress,
  interrupt,
  add,
}: Work): Promise<Fault[]> {
  const owner = options.keep ? KEPT : processIdentity();
  let plan = prepared.plan;
  const sites = new Map<EngineName, Promise<OpenSite>>();
  for (const engine of engines.open) {
    const site = openSite({ engine, owner, prepared, directory, progress, interrupt, vantage: options.vantage });
    site.catch(() => undefined); // each job awaits its own; with fewer jobs than engines that may be later
    sites.set(engine.facts.name, site);
  }
  const build = async (
    names: readonly EngineName[],
    more: { jobs: number; only?: readonly CellRef[] },
  ): Promise<RunnerJob> => {
    const open = new Map<string, OpenSite>();
    for (const name of names) open.set(name, await siteOf(sites, name));
    const { keep, vantage } = options;
    return buildJob({
      prepared: { ...prepared, plan },
      sites: open,
      directory: directory.path,
      owner,
      keep,
      ...(vantage && { vantage }),
      ...more,
    });
  };
  const context = { runner, interrupt };
  const names = engines.open.map(({ facts }) => facts.name);
  const faults = await runEngines(
    names,
    options.jobs,
    async (engine, jobs) => await build([engine], { jobs }),
    context,
  );
  const runMore = async (cells: readonly CellRef[], jobs: number): Promise<void> => {
    add(cells.length);
    const there = names.filter((name) => cells.some((cell) => cell.engine === name));
    faults.push(...(await runRounds(await build(there, { jobs, only: cells }), context)));
  };
  const repeatAlone = async (): Promise<void> => {
    while (!interrupt.aborted) {
      const again = cellsToRepeat(await readHistories(directory.path));
      if (again.length === 0) return;
      const sample = Math.max(...again.map((cell) => cell.sample));
      progress.say(
        `${again.length} timing ${again.length === 1 ? 'sample is' : 'samples are'} within the uncertainty of the limit; repeating alone (${sample - 1} of ${MOST_SAMPLES - 1})`,
      );
      await runMore(again, 1);
    }
  };
  await repeatAlone();
  while (!interrupt.aborted) {
    const further = withRefinements(plan, await readHistories(directory.path));
    if (further.cells.length === 0) break;
    plan = further.plan;
    // planned before it runs: what is planned is compared with what is found (rule 6)
    await directory.writePlan(plan);
    const many = further.cells.length === 1 ? 'a cell is' : `${further.cells.length} cells are`;
    progress.say(`the outcome changes along a sweep: ${many} added in between`);
    await runMore(further.cells, options.jobs);
    await repeatAlone();
  }
  new Turns(directory.path).remove();
  const held = await Promise.allSettled(
    [...sites.values()].map(async (opening) => {
      const site = await opening;
      site.close();
      await site.held;
    }),
  );
  for (const [index, result] of held.entries()) {
    const engine = names[index];
    if (result.status === 'fulfilled' || faults.some((fault) => fault.engine === engine)) continue;
    faults.push({
      where: 'engine',
      ...(engine === undefined ? {} : { engine }),
      message: String(result.reason?.message ?? result.reason),
    });
  }
  return faults;
}

async function siteOf(sites: ReadonlyMap<EngineName, Promise<OpenSite>>, engine: EngineName): Promise<OpenSite> {
  const site = await sites.get(engine);
  if (site === undefined) throw new EngineError(`${engine}: the run has no network on it`);
  return site;
}

/**
 * Sweep what dead runs left on an engine and make this run's network there, both at once: they do not meet. Then the
 * networks and dependencies of targets that need them.
 */
async function openSite({
  engine: { driver, facts },
  owner,
  prepared,
  directory,
  progress,
  interrupt,
  vantage,
}: Pick<Work, 'prepared' | 'directory' | 'progress' | 'interrupt'> & {
  readonly engine: OpenEngine;
  readonly owner: string;
  readonly vantage: Work['options']['vantage'];
}): Promise<OpenSite> {
  const { run } = prepared.plan;
  const swept = sweep(driver, abandoned(facts)).then(({ removed }) => {
    for (const object of removed) {
      progress.say(`${facts.name}: removed ${object.type} ${object.name}, left behind by run ${object.run}`);
    }
  });
  swept.catch(() => undefined); // awaited with the holder
  const site = await prepareSite({ driver, facts }, run, { run, owner }, prepared.helper);
  const held = Promise.all([site.held, swept]).then(() => undefined);
  held.catch(() => undefined); // awaited at the end of the run
  const { sites, close } = await openTargetSites({
    engine: { driver, facts },
    ownership: { run, owner },
    helperImage: site.helperImage,
    directory: directory.path,
    lanes: new Lanes(),
    vantage,
    prepared,
    progress,
    interrupt,
  });
  return { ...site, held, sites, close };
}

/** The histories of a run that can be read: what is broken is for the judgement to say. */
async function readHistories(path: string): Promise<History[]> {
  const { histories } = await readRun(path);
  return [...histories.values()].filter((entry): entry is History => !(entry instanceof Error));
}
