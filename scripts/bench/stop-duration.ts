import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runRounds } from '../../harness/cli/rounds.ts';
import type { ScenarioCatalogue } from '../../harness/cli/scenario-files.ts';
import { loadScenarios } from '../../harness/cli/scenario-files.ts';
import { openEngines, prepareSite } from '../../harness/cli/session.ts';
import { CLAUSE_SET, levelsOf } from '../../harness/contract/index.ts';
import { presetByName } from '../../harness/contract/presets/index.ts';
import { resolveTerms } from '../../harness/contract/terms.ts';
import { stopDuration } from '../../harness/contract/evidence/stop-duration.ts';
import { judgeHistory } from '../../harness/judge/judge.ts';
import type { JudgementBasis } from '../../harness/model/clause.ts';
import { EngineError } from '../../harness/model/errors.ts';
import type { History } from '../../harness/model/history.ts';
import type { CellRef } from '../../harness/model/plan.ts';
import { findHelper } from '../../harness/run/helper-image.ts';
import type { RunnerJob } from '../../harness/run/job.ts';
import { processIdentity } from '../../harness/run/owner.ts';
import { sweep } from '../../harness/run/sweep.ts';
import { cellPath } from '../../harness/store/cell-path.ts';
import { readHistory } from '../../harness/store/read-history.ts';
import { Runner } from '../../harness/vitest/start.ts';
import { root } from './product.ts';
import { spread } from './statistics.ts';

const REPEATS = 6;
const SIDE_BY_SIDE = 4;
const LIMIT_MS = 1000;

interface Sample {
  readonly afterMs: number;
  readonly host?: number;
  readonly engine?: number;
  readonly outcome: string;
  /** The truth lies outside of the interval that the verdict rests on. */
  readonly missed: boolean;
}

/**
 * Stop durations against the truth of a fixture that ends exactly n ms after the signal (its own clock says how exactly):
 * in the lane that decides, side by side, and by the engine's clock alone.
 */
export async function benchStopDuration(folder: string): Promise<string[]> {
  const catalogue = await loadScenarios(import.meta.dirname);
  const engines = await openEngines([], { ...process.env, CI: undefined });
  const lines = [
    'errors against the fixture’s own clock, ms: median [least..most] (samples); goals: 1 and 5 alone, 15 side by side, 12 engine',
  ];
  try {
    for (const engine of engines.open) {
      for (const lane of ['alone', 'shared'] as const) {
        const samples = await measure(engine, lane, catalogue, join(folder, `stop-${engine.facts.name}-${lane}`));
        const errors = (by: 'host' | 'engine'): number[] => samples.flatMap((sample) => sample[by] ?? []);
        lines.push(
          `${engine.facts.name.padEnd(8)}${lane.padEnd(8)}host ${spread(errors('host'))}   engine ${spread(errors('engine'))}`,
        );
        lines.push(`                ${verdicts(samples)}`);
      }
    }
  } finally {
    await engines.close();
  }
  return lines;
}

/** How SIG-1 came out around the 1 s limit, and whether any verdict was on the wrong side. */
function verdicts(samples: readonly Sample[]): string {
  const wrong = samples.filter(({ afterMs, outcome }) => outcome === (afterMs < LIMIT_MS ? 'fail' : 'pass')).length;
  const open = (afterMs: number): string => {
    const mine = samples.filter((sample) => sample.afterMs === afterMs);
    return `${afterMs}: ${mine.filter(({ outcome }) => outcome === 'inconclusive').length} of ${mine.length}`;
  };
  const missed = samples.filter((sample) => sample.missed).length;
  return `wrong side ${wrong}; truth outside of the interval ${missed}; inconclusive at ${[950, 990, 1010, 1050].map(open).join(', ')}`;
}

type Engine = Awaited<ReturnType<typeof openEngines>>['open'][number];

async function measure(
  engine: Engine,
  lane: CellRef['lane'],
  catalogue: ScenarioCatalogue,
  directory: string,
): Promise<Sample[]> {
  const helper = await findHelper(root);
  if (helper === undefined) throw new Error('no helper binary for this platform: npm run images builds it');
  const run = `bench-${process.pid}-${lane}`;
  const owner = processIdentity();
  const positions = lane === 'alone' ? 1 : SIDE_BY_SIDE;
  const runner = new Runner((message) => message.type === 'problem' && console.error(message.message));
  try {
    await mkdir(directory, { recursive: true });
    const site = await prepareSite(engine, run, { run, owner }, helper);
    await site.held;
    if (site.helperImage === undefined) throw new EngineError('the helper image was not loaded');
    const cells = catalogue.scenarios.flatMap(({ id, title, clauses }) =>
      Array.from({ length: REPEATS }, (_, index): CellRef => {
        const ref = {
          engine: engine.facts.name,
          image: 'fixture',
          scenario: id,
          title,
          values: { signal: 'TERM' },
          cell: '-',
          clauses,
          repeat: index + 1,
          sample: 1,
          lane,
        };
        return { ...ref, path: cellPath(ref) };
      }),
    );
    const target = {
      name: 'fixture',
      image: site.helperImage,
      env: {},
      ready: { kind: 'log', pattern: '"ev":"ready"', origin: 'helper' },
      startTimeoutMs: 30_000,
      files: [],
      volumes: [],
      outbound: false,
      dependencies: [],
      endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
      faults: {},
      secrets: [],
    } as const;
    const facts = {
      reference: 'fixture',
      digest: site.helperImage,
      entrypoint: [],
      command: [],
      user: '',
      stopSignal: { value: 'TERM', origin: 'engine default' },
      exposedPorts: [],
      labels: {},
      hasHealthcheck: false,
      repoDigests: [],
    } as const;
    const job: RunnerJob = {
      common: {
        run,
        directory,
        harness: { version: 'bench', node: process.versions.node },
        owner,
        keep: false,
        helper: helper.path,
      },
      jobs: positions,
      scenarioFiles: catalogue.files,
      longFirst: [],
      // All cells stand in one file, which one worker runs in order: a project per lane position spreads them.
      projects: Array.from({ length: positions }, (_, position) => ({
        name: `${engine.facts.name}-bench-${position}`,
        engine: engine.facts,
        network: site.network,
        target,
        helperTarget: target,
        facts,
        basis: basis(),
        cells: cells.filter((_cell, index) => index % positions === position),
      })),
    };
    const faults = await runRounds(job, { runner, interrupt: new AbortController().signal });
    for (const fault of faults) console.error(fault.message);
    const histories = await Promise.all(cells.map(({ path }) => readHistory(join(directory, path, 'history.jsonl'))));
    return histories.map(sampleOf);
  } finally {
    runner.kill();
    await sweep(engine.driver, (object) => object.run === run);
  }
}

function basis(): JudgementBasis {
  const preset = presetByName('light-fabric');
  const { terms, origins } = resolveTerms(preset, { stopSignal: 'TERM', overrides: [] });
  return {
    preset: preset.name,
    presetOrigin: 'bench',
    clauseSet: CLAUSE_SET,
    levels: levelsOf(preset),
    required: [],
    terms,
    origins,
    waivers: [],
    judgedOn: '2000-01-01',
  };
}

/** Errors of both readings against what the fixture printed: its receipt of the signal and the moment before its exit. */
function sampleOf(history: History): Sample {
  const printed = history.observations.flatMap((seen) =>
    seen.kind === 'log' ? [JSON.parse(seen.text) as { ev: string; mono: string }] : [],
  );
  const at = (ev: string): number => Number(BigInt(printed.find((line) => line.ev === ev)?.mono ?? '0') / 1000n) / 1000;
  const truthMs = at('exit') - at('signal');
  const { host, engine, measurement } = stopDuration(history);
  const [judged] = judgeHistory(history);
  return {
    afterMs: Number(history.header.cell.scenario.split('-').at(-1)),
    outcome: judged?.finding.outcome ?? 'none',
    missed: measurement === undefined || truthMs < measurement.lowMs || truthMs > measurement.highMs,
    ...(host === undefined ? {} : { host: host.valueMs - truthMs }),
    ...(engine === undefined ? {} : { engine: engine.valueMs - truthMs }),
  };
}
