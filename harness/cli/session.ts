import { discoverEngines } from '../engine/discover.ts';
import { engineNames } from '../engine/drivers.ts';
import type { EngineDriver, OwnedObject, Ownership } from '../engine/driver.ts';
import type { EngineCandidate, EngineFacts, EngineName } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { Helper } from '../run/helper-image.ts';
import { ensureHelperImage } from '../run/helper-image.ts';
import { Lanes } from '../run/lanes.ts';
import { abandoned, sweepAll } from '../run/sweep.ts';
import { engineVantage } from '../run/vantage.ts';
import type { Progress } from './progress.ts';

/** One engine that is judged on. */
export interface OpenEngine {
  readonly driver: EngineDriver;
  readonly facts: EngineFacts;
}

/** The engines of a run and those that are not judged. */
export interface Engines {
  readonly open: readonly OpenEngine[];
  readonly notJudged: readonly EngineCandidate[];
  /** The engine of `--from`, judged on or not. */
  readonly source?: EngineDriver;
  close(): Promise<void>;
}

/** Whatever starts or removes a container of this process takes part in the machine-wide lanes. */
const lanes = new Lanes();

/**
 * Find the engines. Those in `wanted`, and under CI=true all of them, must be there: a missing one is an EngineError
 * (exit 70) that lists every candidate tried and why it failed. So must `from`, where images come from.
 */
export async function openEngines(
  wanted: readonly EngineName[],
  env: NodeJS.ProcessEnv,
  discover: typeof discoverEngines = discoverEngines,
  from?: EngineName,
): Promise<Engines> {
  const names = wanted.length > 0 ? wanted : engineNames;
  const discovered = await discover({ env, wanted: [...new Set([...names, ...(from === undefined ? [] : [from])])] });
  const source = discovered.found.find(({ facts }) => facts.name === from)?.driver;
  const open = discovered.found.filter(({ facts }) => names.includes(facts.name));
  const missing = names.filter((name) => !open.some(({ facts }) => facts.name === name));
  const mustBeThere =
    wanted.length > 0
      ? '--engine or the profile asks for it'
      : env['CI'] === 'true'
        ? 'CI=true asks for every engine'
        : undefined;
  const noSource = from !== undefined && source === undefined;
  if (open.length === 0 || noSource || (mustBeThere !== undefined && missing.length > 0)) {
    await discovered.stop();
    for (const { driver } of discovered.found) driver.close();
    const tried = discovered.candidates.filter(({ failure }) => failure !== undefined);
    const why =
      open.length === 0
        ? 'no engine answers'
        : noSource
          ? `${from} does not answer, and --from asks for it`
          : `${missing.join(' and ')} does not answer, and ${mustBeThere}`;
    throw new EngineError(
      `${why}; tried:\n${tried.map((candidate) => `  ${candidate.engine} at ${candidate.address} (${candidate.origin}): ${candidate.failure}`).join('\n')}\n` +
        'start it, or set DOCKER_HOST or CONTAINER_HOST; lf-qualify doctor shows what is found',
    );
  }
  return {
    open,
    notJudged: missing.map((name) => notJudged(name, discovered.candidates)),
    ...(source === undefined ? {} : { source }),
    async close() {
      for (const { driver } of discovered.found) driver.close();
      await discovered.stop();
    },
  };
}

function notJudged(name: EngineName, candidates: readonly EngineCandidate[]): EngineCandidate {
  const mine = candidates.filter(({ engine }) => engine === name);
  return {
    engine: name,
    address: mine.map(({ address }) => address).join(', ') || 'nowhere',
    origin: 'searched',
    failure:
      mine.map(({ address, failure }) => `${address}: ${failure}`).join('; ') ||
      'no socket and no command of it on this machine',
  };
}

/** What one engine holds for the run: its network, kept alive by a container of ours, and the helper's image. */
export interface RunSite {
  readonly network: string;
  /** Where services of this host listen for containers of the run (engines.md section 12). */
  readonly gateway?: string;
  readonly helperImage?: string;
  /** Resolves when the holder runs: targets keep the network alive until then. Rejects with the engine's EngineError. */
  readonly held: Promise<void>;
}

/** Create the run's network without a way out, and hold it: a Podman bridge goes with its last container (engines.md). */
export async function prepareSite(
  engine: OpenEngine,
  run: string,
  ownership: Ownership,
  helper: Helper | undefined,
): Promise<RunSite> {
  const [network, helperImage] = await Promise.all([
    engine.driver.createNetwork(`lfq-${run}`, { internal: true, ownership }),
    helper === undefined ? undefined : ensureHelperImage(engine.driver, helper),
  ]);
  const gateway = engineVantage(engine.facts).vantage === 'direct' ? await engine.driver.gatewayOf(network) : undefined;
  const site = { network, ...(gateway === undefined ? {} : { gateway }) };
  if (helperImage === undefined) return { ...site, held: Promise.resolve() };
  const name = `lfq-${run}-holder`;
  const spec = { name, image: helperImage, command: ['hold'], env: {}, network, ownership };
  const held = lanes.within('shared', async () => {
    await engine.driver.hold(spec);
  });
  return { ...site, helperImage, held };
}

/**
 * Remove everything of this run from every engine, and what dead runs left there that came too late for the sweep at the
 * start. Failures are told, never thrown (architecture rule 15).
 */
export async function cleanUp(
  engines: readonly OpenEngine[],
  run: string,
  progress: Progress,
  interrupted: boolean,
): Promise<void> {
  // Removing a holder is a container that goes: not while another run measures alone.
  await lanes.within('shared', async () => {
    await Promise.all(engines.map((engine) => removeAll(engine, run, progress, interrupted)));
  });
}

async function removeAll(
  { driver, facts }: OpenEngine,
  run: string,
  progress: Progress,
  interrupted: boolean,
): Promise<void> {
  const dead = abandoned(facts);
  const mine = (object: OwnedObject): boolean => object.run === run || dead(object);
  try {
    const { failures } = await sweepAll(driver, mine, { expected: interrupted });
    for (const { object, message } of failures) {
      progress.say(
        `${facts.name}: could not remove ${object.type} ${object.name}: ${message}; lf-qualify clean tries again`,
      );
    }
  } catch (error) {
    progress.say(
      `${facts.name}: clean-up failed: ${(error as Error).message}; lf-qualify clean, or the next run, removes what is left`,
    );
  }
}
