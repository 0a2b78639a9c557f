import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliOptions, Reporter, TestSpecification, TestUserConfig } from 'vitest/node';
import { BaseSequencer, createVitest } from 'vitest/node';
import type { JobProject, RunnerJob, RunnerMessage } from '../run/job.ts';

/** The process that the command line starts in a group of its own: runs jobs with vitest until it is ended. */
const packageRoot = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const worker = fileURLToPath(new URL(`./worker.${extension}`, import.meta.url));
const entry = fileURLToPath(new URL(`../index.${extension}`, import.meta.url));

const startsWith = (path: string): RegExp => new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);

/** A path as a pattern for just this file. */
const asGlob = (path: string): string => path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');

function tell(message: RunnerMessage): void {
  process.send?.(message);
}

/** Forwards begin and end of each cell. Results are ignored: what counts is the history on disk. */
const reporter: Reporter = {
  onTestCaseReady: (test) => tell({ type: 'begin', path: test.name }),
  onTestCaseResult(test) {
    const errors = test.result().errors ?? [];
    if (errors.length > 0)
      tell({ type: 'problem', message: `${test.name}: ${errors.map((error) => error.message).join('; ')}` });
    tell({ type: 'end', path: test.name });
  },
  onTestModuleEnd(module) {
    for (const error of module.errors()) tell({ type: 'problem', message: `${module.moduleId}: ${error.message}` });
  },
  onTestRunEnd(_modules, unhandled) {
    for (const error of unhandled) tell({ type: 'problem', message: error.message });
  },
};

/** Job projects of one name are one project of vitest, which reuses worker processes only within a project. */
function projectConfig(job: RunnerJob, name: string, members: readonly JobProject[]): TestUserConfig {
  const cells = members.flatMap((member) => member.cells);
  const files = new Set(cells.map((cell) => job.scenarioFiles[cell.scenario] ?? cell.scenario));
  const own = [
    ...new Set([...files].filter((file) => !file.startsWith(`${packageRoot}/`)).map((file) => dirname(file))),
  ];
  return {
    name,
    include: [...files].map(asGlob),
    exclude: [],
    setupFiles: [worker],
    provide: { lfqCommon: job.common, lfqProjects: members, lfqOwnFolders: own },
    // Chunks of output that have been read are garbage at once; left to itself V8 lets over 100 MB of them gather.
    execArgv: ['--max-semi-space-size=2'],
    pool: 'forks',
    isolate: false,
    testTimeout: 0,
    hookTimeout: 0,
    retry: 0,
    // Scenarios of folders of somebody's own are loaded by Node as the command line loads them, not by vite: that would
    // heed the tsconfig.json there.
    server: {
      deps: {
        external: [
          startsWith(`${packageRoot}/harness/`),
          /\/node_modules\//,
          ...own.map((folder) => startsWith(`${folder}/`)),
        ],
      },
    },
  };
}

/** One project after the other, so that its workers are reused; in each long files first: none is left alone at the end. */
function sequencer(job: RunnerJob): typeof BaseSequencer {
  const order = new Map(job.longFirst.map((id, index) => [job.scenarioFiles[id] ?? id, index]));
  const names = [...new Set(job.projects.map(({ name }) => name))];
  const rank = ({ moduleId, project }: TestSpecification): number =>
    names.indexOf(project.name) * (order.size + 1) + (order.get(moduleId) ?? order.size);
  return class LongFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return files.toSorted((a, b) => rank(a) - rank(b));
    }
  };
}

async function run(job: RunnerJob): Promise<void> {
  const vitest = await createVitest({
    config: false,
    root: packageRoot,
    watch: false,
    reporters: [reporter],
    maxWorkers: job.jobs,
    sequence: { sequencer: sequencer(job) },
    projects: [...Map.groupBy(job.projects, ({ name }) => name)].map(([name, members]) => ({
      root: packageRoot,
      resolve: { alias: { 'lf-qualify': entry } },
      test: projectConfig(job, name, members),
    })),
  } as CliOptions);
  try {
    await vitest.start();
  } finally {
    // Nothing of it is needed any more, and nobody waits for what it closes.
    void vitest.close().catch(() => undefined);
  }
}

// The command line is gone: nobody would read the histories, and its sweep can no longer run.
process.once('disconnect', () => process.exit(1));
if (!process.connected) process.exit(1); // it went while this was being loaded
process.on('message', (message) => {
  const { number, job } = message as { number: number; job: RunnerJob };
  run(job)
    .catch((error: unknown) => {
      tell({ type: 'problem', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    })
    .finally(() => tell({ type: 'done', job: number }));
});
