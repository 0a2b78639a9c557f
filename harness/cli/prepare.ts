import type { EngineName } from '../model/engine.ts';
import type { Mask } from '../model/mask.ts';
import { createMask } from '../model/mask.ts';
import type { CellRef, Plan, PlannedTarget } from '../model/plan.ts';
import type { Profile } from '../model/profile.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import { emulationOf } from '../contract/evidence/emulation.ts';
import type { PreparedImage } from '../run/carry.ts';
import { prepareImage } from '../run/carry.ts';
import { withDependencyImages } from '../run/dependency-images.ts';
import type { ImageChoice } from '../run/image-source.ts';
import type { Helper } from '../run/helper-image.ts';
import type { JobProject, RunnerJob } from '../run/job.ts';
import type { Selection } from '../run/plan.ts';
import { processIdentity } from '../run/owner.ts';
import { planInstrument, planTarget } from '../run/plan.ts';
import type { Vantage } from '../run/vantage.ts';
import type { TargetFlags } from '../run/resolve-target.ts';
import { resolveTarget } from '../run/resolve-target.ts';
import { PLAN_FORMAT } from '../store/plan-file.ts';
import type { Looks } from './looks.ts';
import { packageVersion } from './package-info.ts';
import type { Progress } from './progress.ts';
import type { ScenarioCatalogue } from './scenario-files.ts';
import type { Engines, OpenEngine, RunSite } from './session.ts';
import type { TargetSites } from './target-sites.ts';

/** A run that is planned but not started. `targets` holds what the plan on disk must not: env values and secrets. */
export interface PreparedRun {
  readonly plan: Plan;
  readonly engines: readonly OpenEngine[];
  readonly targets: ReadonlyMap<string, Target>;
  readonly catalogue: ScenarioCatalogue;
  readonly helper?: Helper;
}

/** Images that share worker processes: their cells of one scenario run one after the other. */
const IMAGES_TOGETHER = 6;

const key = (engine: string, image: string): string => `${engine}\n${image}`;

/** An image to qualify, with what is said about it. One image may be several subjects, each under a name of its own. */
export interface Subject {
  readonly reference: string;
  /** Name for reports. Absent: the reference. */
  readonly name?: string;
  readonly flags: TargetFlags;
  readonly profile?: Profile;
  readonly selection: Selection;
}

/** Hides what any target of a run keeps secret. */
export function maskOf(targets: PreparedRun['targets']): Mask {
  return createMask([...targets.values()].flatMap(({ secrets }) => secrets));
}

/** Find every image on every engine (carry over or pull), choose preset and terms, and plan the cells. */
export async function prepareRun(options: {
  readonly subjects: readonly Subject[];
  readonly repeat: number;
  readonly strict: boolean;
  /** Which bytes the images stand for. What an engine lacks is pulled, with `credentials` where they are given. */
  readonly images?: ImageChoice;
  readonly engines: Engines;
  readonly catalogue: ScenarioCatalogue;
  readonly helper: Helper | undefined;
  /** Looks at what nothing is declared of. Absent: nothing is looked at. */
  readonly looks?: Looks;
  readonly id: string;
  readonly progress: Progress;
}): Promise<PreparedRun> {
  const { engines, catalogue, helper, progress, repeat } = options;
  const startedAt = new Date().toISOString();
  const targets = new Map<string, Target>();
  const planned: PlannedTarget[] = [];
  const drivers = engines.open.map(({ driver }) => driver);
  const images = new Map<string, PreparedImage>();
  const prepare = async (reference: string): Promise<PreparedImage> => {
    const ownership = { run: options.id, owner: processIdentity() };
    const image =
      images.get(reference) ?? (await prepareImage(reference, drivers, ownership, progress.say, options.images));
    images.set(reference, image);
    return image;
  };
  for (const { reference, name: label = reference, flags, profile, selection } of options.subjects) {
    const image = await prepare(reference);
    const hints = new Set<string>();
    const subject = { image, label, flags, selection, ...(profile === undefined ? {} : { profile }) };
    const looked = await options.looks?.at(subject);
    for (const [engine, imageFacts] of image.facts) {
      const resolved = resolveTarget({
        facts: imageFacts,
        flags,
        selection,
        judgedOn: startedAt.slice(0, 10),
        ...(profile === undefined ? {} : { profile }),
        ...(looked === undefined ? {} : { discovered: looked.profile }),
      });
      const { basis, facts } = resolved;
      for (const hint of resolved.hints) hints.add(hint);
      const target = await withDependencyImages({ ...resolved.target, name: label }, engine, prepare);
      targets.set(key(engine, target.name), target);
      progress.hide(maskOf(targets));
      const name = engine as EngineName;
      planned.push({
        ...planTarget({
          engine: name,
          target,
          facts,
          basis,
          scenarios: catalogue.scenarios,
          selection,
          repeat,
        }),
        ...(looked && { discovery: looked.discovery, assumed: looked.assumed }),
      });
    }
    for (const { facts: about } of engines.open) {
      const facts = image.facts.get(about.name);
      const emulation = facts && emulationOf(about, facts);
      if (emulation !== undefined)
        progress.say(`${label} on ${about.name}: ${emulation}: nothing about time is judged`);
    }
    const [first] = planned.filter(({ target }) => target.name === label);
    if (first)
      progress.say(
        `${label}: preset ${first.basis.preset} (${first.basis.presetOrigin}), ready by ${describeReady(first.target.ready)}, digest ${first.facts.digest.slice(7, 19)}`,
      );
    for (const hint of hints) progress.say(`${label}: ${hint}`);
  }
  return {
    plan: {
      format: PLAN_FORMAT,
      run: options.id,
      startedAt,
      harness: {
        version: packageVersion(),
        node: process.versions.node,
        ...(helper === undefined ? {} : { helperSha256: helper.sha256 }),
      },
      engines: engines.open.map(({ facts }) => facts),
      notJudged: engines.notJudged,
      targets: planned,
      instrument: engines.open.flatMap(({ facts }) => planInstrument(facts.name, catalogue.scenarios)),
      strict: options.strict,
    },
    engines: engines.open,
    targets,
    catalogue,
    ...(helper === undefined ? {} : { helper }),
  };
}

function describeReady(ready: Target['ready']): string {
  switch (ready.kind) {
    case 'http':
      return `GET ${ready.path} on port ${ready.port}${ready.tls ? ' over TLS' : ''} (${ready.origin})`;
    case 'tcp':
      return `a ${ready.greets ? 'greeting on' : 'connect to'} port ${ready.port} (${ready.origin})`;
    case 'log':
      return `a log line /${ready.pattern}/ (${ready.origin})`;
    case 'health':
      return `the image's HEALTHCHECK (${ready.origin})`;
    case 'settled':
      return `${ready.afterMs} ms of life (${ready.origin})`;
  }
}

/** A planned target with what the plan on disk must not have. */
export function targetOf(prepared: Pick<PreparedRun, 'targets'>, planned: PlannedTarget): Target {
  const target = prepared.targets.get(key(planned.engine, planned.target.name));
  if (target === undefined) throw new Error(`no target for ${planned.target.name}`);
  return target;
}

/** The runner's job for the engines that have a site: every planned cell, or only those given. */
export function buildJob(options: {
  readonly prepared: PreparedRun;
  readonly sites: ReadonlyMap<string, RunSite & Pick<TargetSites, 'sites'>>;
  readonly directory: string;
  readonly owner: string;
  readonly keep: boolean;
  readonly vantage?: Vantage;
  readonly jobs: number;
  readonly only?: readonly CellRef[];
}): RunnerJob {
  const { prepared, only } = options;
  const { plan, helper } = prepared;
  const projects = plan.engines.flatMap((engine): JobProject[] => {
    const site = options.sites.get(engine.name);
    if (site === undefined) return [];
    const mine = (cells: readonly CellRef[]): readonly CellRef[] =>
      only === undefined
        ? cells
        : only.filter((cell) =>
            cells.some(
              (known) =>
                known.engine === cell.engine &&
                known.image === cell.image &&
                known.scenario === cell.scenario &&
                known.cell === cell.cell &&
                known.repeat === cell.repeat,
            ),
          );
    const helper = site.helperImage === undefined ? undefined : helperTarget(site.helperImage);
    const instrument = helper === undefined ? [] : mine(plan.instrument.filter((cell) => cell.engine === engine.name));
    return plan.targets
      .filter((planned) => planned.engine === engine.name)
      .map((planned, index) => {
        const target = targetOf(prepared, planned);
        const own = site.sites.get(target.name);
        const { network, gateway } = own ?? site;
        return {
          engine,
          network,
          ...(gateway === undefined ? {} : { gateway }),
          ...(own === undefined ? {} : { dependencies: own.dependencies }),
          name: `${engine.name}-${Math.floor(index / IMAGES_TOGETHER) + 1}`,
          target,
          facts: planned.facts,
          basis: planned.basis,
          cells: [...(index === 0 ? instrument : []), ...mine(planned.cells)],
          ...(helper === undefined ? {} : { helperTarget: helper }),
        };
      });
  });
  return {
    common: {
      run: plan.run,
      directory: options.directory,
      harness: plan.harness,
      owner: options.owner,
      keep: options.keep,
      ...(options.vantage && { vantage: options.vantage }),
      ...(helper === undefined || process.platform !== 'linux' ? {} : { helper: helper.path }),
    },
    jobs: options.jobs,
    scenarioFiles: prepared.catalogue.files,
    longFirst: longFirst(prepared.catalogue.scenarios),
    projects: projects.filter(({ cells }) => cells.length > 0),
  };
}

/** A watch lasts longest, then held work; what just ends comes last. */
function longFirst(scenarios: readonly Scenario[]): string[] {
  const weight = ({ script, load }: Scenario): number =>
    (script.some(({ step }) => step === 'watch') ? 2 : 0) +
    // a signal that the start-up loses is waited for as long as a stop may take
    (load === undefined && script.every(({ step }) => step !== 'settle') ? 0 : 1);
  return scenarios.toSorted((a, b) => weight(b) - weight(a)).map(({ id }) => id);
}

/** The helper as a target: it says `"ev":"ready"` once its signals are blocked. */
function helperTarget(image: string): Target {
  return {
    name: 'instrument',
    image,
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
  };
}
