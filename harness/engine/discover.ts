import type { EngineCandidate, EngineFacts, EngineName } from '../model/engine.ts';
import type { EngineDriver } from './driver.ts';
import { openDriver } from './drivers.ts';
import { dockerContext } from './docker-contexts.ts';
import { identifyEngine } from './engine-identity.ts';
import type { EnginePlace } from './engine-place.ts';
import type { EngineAccess, Forwarder } from './engine-reach.ts';
import { reachEngine } from './engine-reach.ts';
import { podmanConnections } from './podman-connections.ts';
import type { PodmanService } from './podman-service.ts';
import { startPodmanService } from './podman-service.ts';
import { tlsMaterialOf } from './tls-material.ts';

export interface DiscoverOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Engines to use; absent: every engine that answers. */
  readonly wanted?: readonly EngineName[];
  /** Instead of the sockets where engines usually listen. */
  readonly wellKnown?: readonly EnginePlace[];
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

/** The sockets where the engines listen unless told otherwise; those of the user too, who is not always told of them. */
export function wellKnownSockets(
  env: NodeJS.ProcessEnv,
  uid: number | undefined = process.getuid?.(),
): readonly EnginePlace[] {
  const origin = 'well-known socket';
  const own = env['XDG_RUNTIME_DIR'] || (uid ? `/run/user/${uid}` : undefined);
  const places: EnginePlace[] = [
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

async function placesOf(options: DiscoverOptions): Promise<readonly EnginePlace[]> {
  const { env } = options;
  const named: EnginePlace[] = [];
  const dockerHost = env['DOCKER_HOST'];
  const containerHost = env['CONTAINER_HOST'];
  if (dockerHost) {
    const access = async (): Promise<EngineAccess> => {
      const tls = dockerHost.startsWith('tcp:') ? await tlsMaterialOf(env) : undefined;
      return tls === undefined ? {} : { tls };
    };
    named.push({ engine: 'docker', address: dockerHost, origin: 'DOCKER_HOST', chosen: true, access });
  }
  if (containerHost) {
    const identityFile = env['CONTAINER_SSHKEY'];
    const access = async (): Promise<EngineAccess> => (identityFile ? { identityFile } : {});
    named.push({ engine: 'podman', address: containerHost, origin: 'CONTAINER_HOST', chosen: true, access });
  }
  const [context, connections] = await Promise.all([dockerContext(env), podmanConnections(env)]);
  const all = [
    ...named,
    ...(context === undefined ? [] : [context]),
    ...connections.filter(({ chosen }) => chosen),
    ...(options.wellKnown ?? wellKnownSockets(env)),
    ...connections.filter(({ chosen }) => !chosen),
  ];
  return all.filter((place, index) => all.findIndex((other) => other.address === place.address) === index);
}

/** An engine that answered, with the way to it, which must be closed after its driver. */
interface Reached extends FoundEngine {
  readonly way: Forwarder;
}

interface Answer {
  readonly place: EnginePlace;
  readonly found?: Reached;
  readonly failure?: string;
}

/** DOCKER_HOST may name a Podman socket: what answers decides, not the variable. */
async function ask(place: EnginePlace, env: NodeJS.ProcessEnv): Promise<Answer> {
  if (place.failure !== undefined) return { place, failure: place.failure };
  const { address } = place;
  let driver: EngineDriver | undefined;
  let way: Forwarder | undefined;
  try {
    way = await reachEngine(address, await place.access?.(), env);
    const engine = await identifyEngine(way.endpoint, address);
    driver = openDriver(engine, address, way.endpoint);
    return { place: { ...place, engine }, found: { driver, facts: await driver.facts(), way } };
  } catch (error) {
    driver?.close();
    // What carries the connection knows better why it broke than who spoke through it.
    const said = await way?.said();
    await way?.close();
    const message = error instanceof Error ? error.message : String(error);
    return { place, failure: said ? `no engine at ${address}: ${said}` : message };
  }
}

async function release({ driver, way }: Reached): Promise<void> {
  driver.close();
  await way.close();
}

/** Takes the first of each engine and says of the others why they are not used. */
class Selection {
  readonly found: Reached[] = [];
  readonly unused: Reached[] = [];
  readonly candidates: EngineCandidate[] = [];
  readonly #wanted: readonly EngineName[] | undefined;
  /** What the user chose and did not get, by engine: another one in its place would be judged for it. */
  readonly #silent = new Map<EngineName, string>();

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
    const { engine, address, origin, chosen } = place;
    const reason = found ? this.#refusal(found.facts, chosen === true) : failure;
    this.candidates.push({ engine, address, origin, ...(reason === undefined ? {} : { failure: reason }) });
    if (found) (reason === undefined ? this.found : this.unused).push(found);
    else if (chosen) this.#silent.set(engine, `${origin} asks for ${address}, which does not answer`);
  }

  #refusal(facts: EngineFacts, chosen: boolean): string | undefined {
    if (!this.wants(facts.name)) return `${facts.name} answers, but was not asked for`;
    const silent = this.#silent.get(facts.name);
    if (silent !== undefined && !chosen) return `not used: ${silent}`;
    const taken = this.found.find((one) => one.facts.name === facts.name);
    if (!taken) return undefined;
    const same = taken.facts.id !== undefined && taken.facts.id === facts.id;
    return same ? `the same engine as ${taken.facts.address}` : `${taken.facts.address} is used for ${facts.name}`;
  }
}

/**
 * Looks for engines: DOCKER_HOST or the Docker context, CONTAINER_HOST or a Podman connection, well-known sockets; for
 * Podman also its command, when nothing else gives one. What the user chose and does not answer is not replaced by
 * another of its kind. Never throws for an engine that does not answer: `candidates` says what was tried and why it failed.
 */
export async function discoverEngines(options: DiscoverOptions): Promise<Discovery> {
  const selection = new Selection(options.wanted);
  const { env } = options;
  const places = await placesOf(options);
  for (const answer of await Promise.all(places.map((place) => ask(place, env)))) selection.add(answer);
  let service: PodmanService | undefined;
  if (
    selection.wants('podman') &&
    !selection.has('podman') &&
    !places.some(({ engine, chosen }) => chosen && engine === 'podman')
  ) {
    const origin = 'podman command';
    try {
      service = await (options.startPodman ?? startPodmanService)(env);
      selection.add(await ask({ engine: 'podman', address: service.address, origin }, env));
    } catch (error) {
      selection.add({
        place: { engine: 'podman', address: 'podman', origin },
        failure: String((error as Error).message),
      });
    }
  }
  const { found, candidates } = selection;
  await Promise.all(selection.unused.map(release));
  return {
    found,
    candidates,
    stop: async () => {
      await Promise.all(found.map(release));
      await service?.stop();
    },
  };
}
