import { inject, test } from 'vitest';
import type { EngineDriver } from '../engine/driver.ts';
import { openDriver } from '../engine/drivers.ts';
import type { Scenario } from '../model/scenario.ts';
import { allowImportsFrom } from '../run/scenario-imports.ts';
import { collectScenarios } from '../run/scenario-registry.ts';
import { executeCell } from '../run/execute.ts';
import type { JobCommon, JobProject } from '../run/job.ts';
import { Lanes } from '../run/lanes.ts';
import { Turns } from '../run/turns.ts';
import { RunDirectory } from '../store/run-directory.ts';

declare module 'vitest' {
  interface ProvidedContext {
    lfqCommon: JobCommon;
    lfqProjects: readonly JobProject[];
    /** Folders of scenarios that are not bundled. */
    lfqOwnFolders: readonly string[];
  }
}

const common = inject('lfqCommon');
const projects = inject('lfqProjects');
for (const folder of inject('lfqOwnFolders')) allowImportsFrom(folder);
const directory = new RunDirectory(common.directory);
const lanes = new Lanes();
const turns = new Turns(common.directory);
const drivers = new Map<string, EngineDriver>();

function driverOf({ engine }: JobProject): EngineDriver {
  const driver = drivers.get(engine.name) ?? openDriver(engine.name, engine.address, engine.endpoint);
  drivers.set(engine.name, driver);
  return driver;
}

// The test runner only spreads cells over processes and shows progress: it judges nothing, repeats nothing, times nothing.
collectScenarios((scenario: Scenario) => {
  const cells = projects.flatMap((project) => project.cells.map((cell) => ({ cell, project })));
  for (const { cell, project } of cells.filter((planned) => planned.cell.scenario === scenario.id)) {
    test(cell.path, async () => {
      const dependencies = scenario.helper ? undefined : project.dependencies;
      const of = { engine: cell.engine, target: cell.image, dependencies };
      await turns.within(of, async () => {
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
            ...(dependencies === undefined ? {} : { dependencies }),
            ...(project.gateway === undefined ? {} : { gateway: project.gateway }),
            keep: common.keep,
            ...(common.vantage === undefined ? {} : { wantedVantage: common.vantage }),
            ...(project.helperTarget === undefined ? {} : { sidecarImage: project.helperTarget.image }),
            ownership: { run: common.run, owner: common.owner },
            ...(common.helper === undefined ? {} : { helper: common.helper }),
            openHistory(header) {
              const history = directory.openHistory(cell, header);
              return { append: (observation) => history.append([observation]), close: history.close };
            },
          });
        });
      });
    });
  }
});
