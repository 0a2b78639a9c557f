import { randomBytes } from 'node:crypto';
import type { EngineName } from '../harness/model/engine.ts';
import { HarnessError } from '../harness/model/errors.ts';
import type { Report } from '../harness/model/report.ts';
import type { Scenario } from '../harness/model/scenario.ts';
import { findHelper } from '../harness/run/helper-image.ts';
import { processIdentity } from '../harness/run/owner.ts';
import { writeFaults } from '../harness/store/faults-file.ts';
import { RunDirectory } from '../harness/store/run-directory.ts';
import { runId } from '../harness/store/run-id.ts';
import { Runner } from '../harness/vitest/start.ts';
import { carryOut } from '../harness/cli/carry-out.ts';
import { catchInterrupts } from '../harness/cli/interrupts.ts';
import { judgeDirectory } from '../harness/cli/finish.ts';
import { packageRoot, scenarioFolder } from '../harness/cli/package-info.ts';
import type { Subject } from '../harness/cli/prepare.ts';
import { prepareRun } from '../harness/cli/prepare.ts';
import { createProgress } from '../harness/cli/progress.ts';
import { Looks } from '../harness/cli/looks.ts';
import { loadScenarios } from '../harness/cli/scenario-files.ts';
import { openEngines } from '../harness/cli/session.ts';

/**
 * Qualify many subjects in one run, each with facts and a selection of its own, which the command line cannot give: the
 * variants of one image are one container set instead of a command each. An image of which nothing is declared is looked
 * at, as a run from the command line does. Progress goes to stderr, the run directory under `out`. Throws what a run's
 * preparation throws; what breaks later is a fault of the report.
 */
export async function qualifyMany(options: {
  /** Of the scenarios that there are. */
  readonly subjects: (scenarios: readonly Scenario[]) => readonly Subject[];
  readonly engines: readonly EngineName[];
  readonly jobs: number;
  readonly repeat: number;
  readonly out: string;
}): Promise<Report> {
  const helper = await findHelper(packageRoot);
  if (helper === undefined) throw new HarnessError('there is no helper binary: npm run images builds it');
  const id = runId(new Date(), randomBytes(3).toString('hex'));
  const catalogue = await loadScenarios(scenarioFolder);
  const engines = await openEngines(options.engines, process.env);
  let total = 0;
  const progress = createProgress({ stream: process.stderr, verbose: false, total: () => total });
  const interrupt = catchInterrupts(progress);
  const runner = new Runner((message) => {
    if (message.type === 'begin') progress.begin(message.path);
    if (message.type === 'end') progress.end(message.path);
    if (message.type === 'problem') progress.say(`test runner: ${message.message}`);
  });
  interrupt.signal.addEventListener('abort', () => runner.kill(), { once: true });
  const looks = new Looks({
    engines: engines.open,
    ownership: { run: id, owner: processIdentity() },
    helper,
    progress,
    interrupt: interrupt.signal,
  });
  try {
    const { repeat, jobs } = options;
    const subjects = options.subjects(catalogue.scenarios);
    const context = { engines, catalogue, helper, looks, id, progress };
    const prepared = await prepareRun({ subjects, repeat, strict: false, ...context });
    const directory = await RunDirectory.create(options.out, id);
    await directory.writePlan(prepared.plan);
    total = prepared.plan.targets.reduce((sum, { cells }) => sum + cells.length, prepared.plan.instrument.length);
    const work = { options: { jobs, keep: false }, prepared, engines, directory, runner, progress };
    const add = (more: number): void => {
      total += more;
    };
    const { faults, cleaned } = await carryOut({ ...work, interrupt: interrupt.signal, add });
    await cleaned;
    await writeFaults(directory.path, faults);
    return await judgeDirectory(directory.path);
  } finally {
    await looks.settled();
    interrupt.release();
    runner.kill();
    progress.stop();
    await engines.close();
  }
}
