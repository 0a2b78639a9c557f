import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, EngineDriver, HeldContainer, Ownership } from '../engine/driver.ts';
import type { Discovery } from '../model/discovery.ts';
import type { EngineFacts, ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import { createMask } from '../model/mask.ts';
import type { Target } from '../model/target.ts';
import type { Spoken } from '../observe/speech.ts';
import { speechOf } from '../observe/speech.ts';
import { knownServer } from '../profile/known-servers/index.ts';
import { within } from '../wire/within.ts';
import { foundPorts } from './found-ports.ts';
import { lastLines } from './last-lines.ts';
import type { StandingView } from './standing-view.ts';
import { standingView } from './standing-view.ts';
import { UpWatch } from './until-up.ts';
import type { Vantage } from './vantage.ts';

/** What is looked at, and with what. */
export interface DiscoverOptions {
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  readonly image: ImageFacts;
  /** How its container is set up; its readiness is not asked. */
  readonly target: Target;
  /** Name of the container, and what that of its sidecar begins with. */
  readonly name: string;
  readonly network: string;
  readonly ownership: Ownership;
  /** The helper on this host, where it runs here, and its image on the engine. */
  readonly helper?: string;
  readonly helperImage?: string;
  readonly vantage?: Vantage;
  /** Aborted by Ctrl-C: nothing is waited for any more. */
  readonly interrupt: AbortSignal;
}

/** Ports that are asked: what listens on more is no service but a tool. */
const MOST_PORTS = 16;
/** So often a port is asked that says nothing, or that it cannot serve, while its service is still busy coming up. */
const MOST_TRIES = 3;
/** Where it cannot be seen into. */
const BLIND_SETTLE_MS = 2000;
const END_LIMIT_MS = 5000;
const END_POLL_MS = 20;
const OUTPUT_LIMIT_MS = 500;

/**
 * Start one container of an image, wait until it is up, ask each of its ports what it speaks, and remove it by force. A
 * container that ends by itself is told as `ended`, what cannot be looked at as a gap. The container and its sidecar carry
 * the run's labels. Throws EngineError for an engine that is lost or does not start the image, and when interrupted.
 */
export async function discoverImage(options: DiscoverOptions): Promise<Discovery> {
  const { driver, engine, target, interrupt } = options;
  const begin = performance.now();
  const output = lastLines();
  const outputEnd = Promise.withResolvers<void>();
  const held = await driver.hold(specOf(options), { onOutput: output.accept, onOutputEnd: outputEnd.resolve });
  let view: StandingView | undefined;
  try {
    heed(interrupt);
    const state = await driver.stateOf(held.id);
    const seen = { ports: [], processes: [], gaps: [], ...(state.running ? {} : { state }) };
    view = state.running ? await viewIfRunning(options, held, state) : undefined;
    const found: Seen = view === undefined ? seen : await lookThrough(options, held, view, begin);
    heed(interrupt);
    const { ports, processes, gaps, state: end } = found;
    const server = knownServer(processes)?.name;
    if (end !== undefined) await within(outputEnd.promise, OUTPUT_LIMIT_MS);
    const { exitCode } = end ?? {};
    const ended = { lastLines: output.lines(), ...(exitCode === undefined ? {} : { exitCode }) };
    const discovery: Discovery = {
      engine: engine.name,
      tookMs: Math.round(performance.now() - begin),
      processes,
      ports,
      ...(server === undefined ? {} : { server }),
      ...(end === undefined ? {} : { ended }),
      gaps,
    };
    return createMask(target.secrets).value(discovery);
  } finally {
    await view?.close();
    await held.remove();
  }
}

/** What was seen of a container; `state` where it had ended by then. */
interface Seen extends Pick<Discovery, 'ports' | 'processes' | 'gaps'> {
  readonly state?: ContainerState;
}

function specOf({ target, name, network, ownership }: DiscoverOptions): Parameters<EngineDriver['hold']>[0] {
  const { image, env, files, volumes, outbound, command, user, memoryBytes, stopSignal } = target;
  return {
    name,
    image,
    env,
    files,
    volumes,
    network,
    outbound,
    ownership,
    ...(command === undefined ? {} : { command }),
    ...(user === undefined ? {} : { user }),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(stopSignal === undefined ? {} : { stopSignal }),
  };
}

async function viewIfRunning(
  options: DiscoverOptions,
  container: HeldContainer,
  { pid = 0 }: ContainerState,
): Promise<StandingView | undefined> {
  try {
    return await standingView({ ...options, container, pid });
  } catch (error) {
    if (error instanceof EngineError && error.lost) throw error;
    if (!(await options.driver.stateOf(container.id)).running) return undefined;
    throw error;
  }
}

async function lookThrough(
  options: DiscoverOptions,
  held: HeldContainer,
  view: StandingView,
  begin: number,
): Promise<Seen> {
  const { driver, image, target, interrupt } = options;
  const gaps = [
    ...(view.unseen === undefined ? [] : [`its processes and what they listen on are not seen: ${view.unseen}`]),
    ...(view.unreached === undefined ? [] : [`its ports are not reached: ${view.unreached}`]),
  ];
  const { exposedPorts: exposed } = image;
  const untilMs = begin + target.startTimeoutMs;
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal: interrupt }).catch(() => undefined);
  };
  const { look } = view;
  const clock = { now: () => performance.now(), sleep: pause };
  const watch = look && new UpWatch({ ...view, look, exposed, clock, stopped: () => interrupt.aborted });
  const spoken = new Map<number, Spoken>();
  let trouble: unknown;
  try {
    const up = watch === undefined ? await settle(driver, held, pause) : await watch.until('up', untilMs);
    if (up === 'late') gaps.push(`it was still busy ${target.startTimeoutMs / 1000} s after its start`);
    for (let tries = 1; up !== 'ended' && tries <= MOST_TRIES && !interrupt.aborted; tries += 1) {
      const asked = clock.now();
      for (const [port, said] of await askAll(view, portsToAsk(watch, exposed, gaps), spoken)) spoken.set(port, said);
      if (![...spoken.values()].some(isShaky) || watch === undefined) break;
      // What did nothing all the while says the same again, as far as it can be seen that it did nothing.
      if ((await watch.until('idle', untilMs)) !== 'idle') break;
      if (watch.quietSince < asked && (view.workMs !== undefined || tries > 1)) break;
    }
  } catch (error) {
    if (error instanceof EngineError && error.lost) throw error;
    trouble = error;
  }
  const state = await endOf(driver, held, watch);
  // of a container that has ended nothing else is to be expected
  if (trouble !== undefined && state === undefined)
    gaps.push(trouble instanceof Error ? trouble.message : String(trouble));
  const listeners = watch && { listeners: watch.standing.listeners };
  return {
    ports: foundPorts({ exposed, ...listeners, spoken }),
    processes: watch?.standing.processes ?? [],
    gaps: [...new Set(gaps)],
    ...(state === undefined ? {} : { state }),
  };
}

/** Nothing of it is seen: it gets a moment, unless it has ended. */
async function settle(
  driver: EngineDriver,
  held: HeldContainer,
  pause: (ms: number) => Promise<void>,
): Promise<'idle' | 'ended'> {
  if (!(await driver.stateOf(held.id)).running) return 'ended';
  await pause(BLIND_SETTLE_MS);
  return 'idle';
}

const isShaky = ({ silent, unwell }: Spoken): boolean => silent === true || unwell === true;

function portsToAsk(watch: UpWatch | undefined, exposed: readonly number[], gaps: string[]): readonly number[] {
  const reachable = watch?.standing.listeners.filter(({ from }) => from === 'reachable').map(({ port }) => port);
  const ports = (reachable ?? exposed).toSorted((a, b) => Number(exposed.includes(b)) - Number(exposed.includes(a)));
  if (ports.length > MOST_PORTS) gaps.push(`it listens on ${ports.length} ports: only ${MOST_PORTS} were asked`);
  return ports.slice(0, MOST_PORTS);
}

/** The ports that were not asked, or did not answer as what is up does, side by side. */
async function askAll(
  { way }: StandingView,
  ports: readonly number[],
  spoken: ReadonlyMap<number, Spoken>,
): Promise<readonly (readonly [number, Spoken])[]> {
  if (way === undefined) return [];
  const open = ports.filter((port) => {
    const said = spoken.get(port);
    return said === undefined || isShaky(said);
  });
  return await Promise.all(open.map(async (port) => [port, await speechOf(way, port)] as const));
}

/** Its state if it has ended; an engine may notice that later than we do. */
async function endOf(
  driver: EngineDriver,
  held: HeldContainer,
  watch: UpWatch | undefined,
): Promise<ContainerState | undefined> {
  const gone = watch !== undefined && (await watch.isGone());
  for (const begin = performance.now(); ; await sleep(END_POLL_MS)) {
    const state = await driver.stateOf(held.id);
    if (!state.running) return state;
    if (!gone || performance.now() - begin > END_LIMIT_MS) return undefined;
  }
}

function heed(interrupt: AbortSignal): void {
  if (interrupt.aborted) throw new EngineError('the look at the image was interrupted');
}
