import { inject, test } from 'vitest';
import type { EngineDriver } from '../engine/driver.ts';
import { openDriver } from '../engine/drivers.ts';
import type { Scenario } from '../model/scenario.ts';
import { collectScenarios } from '../run/scenario-registry.ts';
import { executeCell } from '../run/execute.ts';
import type { JobCommon, JobProject } from '../run/job.ts';
import { Lanes } from '../run/lanes.ts';
import { RunDirectory } from '../store/run-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    lfqCommon: JobCommon;
    lfqProjects: readonly JobProject[];
  }
}

const common = inject('lfqCommon');
const projects = inject('lfqProjects');
const directory = new RunDirectory(common.directory);
const lanes = new Lanes();
const drivers = new Map<string, EngineDriver>();

function driverOf({ engine }: JobProject): EngineDriver {
  const driver = drivers.get(engine.name) ?? openDriver(engine.name, engine.address);
  drivers.set(engine.name, driver);
  return driver;
}

// The test runner only spreads cells over processes and shows progress: it judges nothing, repeats nothing, times nothing.
collectScenarios((scenario: Scenario) => {
  const cells = projects.flatMap((project) => project.cells.map((cell) => ({ cell, project })));
  for (const { cell, project } of cells.filter((planned) => planned.cell.scenario === scenario.id)) {
    test(cell.path, async () => {
      await lanes.within(cell.lane, async () => {
        await executeCell({
          run: common.run,
          harness: common.harness,
          cell,
          scenario,
          target: (scenario.helper && project.helperTarget) ?? project.target,
          driver: driverOf(project),
          engine: project.engine,
          image:
            scenario.helper && project.helperTarget
              ? { ...project.facts, reference: 'instrument', digest: project.helperTarget.image }
              : project.facts,
          basis: project.basis,
          network: project.network,
          ...(project.gateway === undefined ? {} : { gateway: project.gateway }),
          keep: common.keep,
          ownership: { run: common.run, owner: common.owner },
          ...(common.helper === undefined ? {} : { helper: common.helper }),
          openHistory(header) {
            const history = directory.openHistory(cell, header);
            return { append: (observation) => history.append([observation]), close: history.close };
          },
        });
      });
    });
  }
});
