import type { EngineCandidate, EngineFacts, EngineName } from '../model/engine.ts';
import type { EngineDriver } from './driver.ts';
import { openDriver } from './drivers.ts';
import { identifyEngine } from './engine-identity.ts';
import type { PodmanService } from './podman-service.ts';
import { startPodmanService } from './podman-service.ts';

/** A place to look at, before it was looked at. */
type Place = Omit<EngineCandidate, 'failure'>;

export interface DiscoverOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Engines to use; absent: every engine that answers. */
  readonly wanted?: readonly EngineName[];
  /** Instead of the sockets where engines usually listen. */
  readonly wellKnown?: readonly Place[];
  /** Start a Podman service when there is only the command. @default startPodmanService */
  readonly startPodman?: (env: NodeJS.ProcessEnv) => Promise<PodmanService>;
}

export interface FoundEngine {
  readonly driver: EngineDriver;
  readonly facts: EngineFacts;
}

export interface Discovery {
  /** At most one of each engine, in the order of the places. */
  readonly found: readonly FoundEngine[];
  /** Every place that was tried; `failure` says why it is not used. */
  readonly candidates: readonly EngineCandidate[];
  /** Closes the drivers and ends what was started here. */
  stop(): Promise<void>;
}

/** The sockets where the engines listen unless told otherwise. */
export function wellKnownSockets(env: NodeJS.ProcessEnv): readonly Place[] {
  const origin = 'well-known socket';
  const own = env['XDG_RUNTIME_DIR'];
  const places: Place[] = [
    { engine: 'docker', address: 'unix:///var/run/docker.sock', origin },
    { engine: 'podman', address: 'unix:///run/podman/podman.sock', origin },
  ];
  if (!own) return places;
  return [
    ...places,
    { engine: 'podman', address: `unix://${own}/podman/podman.sock`, origin },
    { engine: 'docker', address: `unix://${own}/docker.sock`, origin },
  ];
}

function placesOf(options: DiscoverOptions): readonly Place[] {
  const { env } = options;
  const named: Place[] = [];
  if (env['DOCKER_HOST']) named.push({ engine: 'docker', address: env['DOCKER_HOST'], origin: 'DOCKER_HOST' });
  if (env['CONTAINER_HOST']) named.push({ engine: 'podman', address: env['CONTAINER_HOST'], origin: 'CONTAINER_HOST' });
  const all = [...named, ...(options.wellKnown ?? wellKnownSockets(env))];
  return all.filter((place, index) => all.findIndex((other) => other.address === place.address) === index);
}

interface Answer {
  readonly place: Place;
  readonly found?: FoundEngine;
  readonly failure?: string;
}

/** DOCKER_HOST may name a Podman socket: what answers decides, not the variable. */
async function ask(place: Place): Promise<Answer> {
  let driver: EngineDriver | undefined;
  try {
    const engine = await identifyEngine(place.address);
    driver = openDriver(engine, place.address);
    return { place: { ...place, engine }, found: { driver, facts: await driver.facts() } };
  } catch (error) {
    driver?.close();
    return { place, failure: error instanceof Error ? error.message : String(error) };
  }
}

/** Takes the first of each engine and says of the others why they are not used. */
class Selection {
  readonly found: FoundEngine[] = [];
  readonly candidates: EngineCandidate[] = [];
  readonly #wanted: readonly EngineName[] | undefined;

  constructor(wanted: readonly EngineName[] | undefined) {
    this.#wanted = wanted;
  }

  wants(engine: EngineName): boolean {
    return this.#wanted?.includes(engine) ?? true;
  }

  has(engine: EngineName): boolean {
    return this.found.some(({ driver }) => driver.name === engine);
  }

  add({ place, found, failure }: Answer): void {
    const reason = found ? this.#refusal(found.facts) : failure;
    this.candidates.push({ ...place, ...(reason === undefined ? {} : { failure: reason }) });
    if (found && reason === undefined) this.found.push(found);
    else found?.driver.close();
  }

  #refusal(facts: EngineFacts): string | undefined {
    if (!this.wants(facts.name)) return `${facts.name} answers, but was not asked for`;
    const taken = this.found.find((one) => one.facts.name === facts.name);
    if (!taken) return undefined;
    const same = taken.facts.id !== undefined && taken.facts.id === facts.id;
    return same ? `the same engine as ${taken.facts.address}` : `${taken.facts.address} is used for ${facts.name}`;
  }
}

/**
 * Looks for engines: DOCKER_HOST, CONTAINER_HOST, well-known sockets; for Podman also its command, when nothing else
 * gives one. Never throws for an engine that does not answer: `candidates` says what was tried and why it failed.
 */
export async function discoverEngines(options: DiscoverOptions): Promise<Discovery> {
  const selection = new Selection(options.wanted);
  for (const answer of await Promise.all(placesOf(options).map(ask))) selection.add(answer);
  let service: PodmanService | undefined;
  if (selection.wants('podman') && !selection.has('podman') && !options.env['CONTAINER_HOST']) {
    const origin = 'podman command';
    try {
      service = await (options.startPodman ?? startPodmanService)(options.env);
      selection.add(await ask({ engine: 'podman', address: service.address, origin }));
    } catch (error) {
      selection.add({
        place: { engine: 'podman', address: 'podman', origin },
        failure: String((error as Error).message),
      });
    }
  }
  const { found, candidates } = selection;
  return {
    found,
    candidates,
    stop: async () => {
      for (const { driver } of found) driver.close();
      await service?.stop();
    },
  };
}
