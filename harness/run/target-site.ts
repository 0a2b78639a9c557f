import type { EngineDriver, Ownership } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import type { ReportedDependency } from '../model/report.ts';
import type { Target } from '../model/target.ts';
import type { DependencyStart, RunningDependency, StartedDependency } from './dependency.ts';
import { startDependency } from './dependency.ts';
import type { Vantage } from './vantage.ts';
import { engineVantage } from './vantage.ts';
import type { Dependencies } from './with-dependencies.ts';

/** Where the containers of one target live on one engine, where that is not the run's own network. */
export interface TargetSite {
  readonly network: string;
  /** Where services of this host listen for its containers. */
  readonly gateway?: string;
  readonly dependencies: Dependencies;
}

/** A target site with what reports show of it. */
export interface OpenedTargetSite extends TargetSite {
  readonly reported: readonly ReportedDependency[];
  /** Write what is left of the dependencies' output. */
  close(): void;
}

/** Whether a target needs a network of its own: for its dependencies' names, which two targets may share, or a way out. */
export function needsOwnSite({ outbound, dependencies }: Pick<Target, 'outbound' | 'dependencies'>): boolean {
  return outbound || dependencies.length > 0;
}

/**
 * Make a target's own network, hold it, and start its dependencies on it one after the other: each knows those before it.
 * The first that does not come up leaves the others unstarted. Throws EngineError for an engine that fails or is lost.
 */
export async function openTargetSite(options: {
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  /** Name of the network, and what the names of its containers begin with. */
  readonly name: string;
  readonly target: Target;
  readonly ownership: Ownership;
  readonly helperImage?: string;
  readonly vantage?: Vantage;
  /** Aborted by Ctrl-C: nothing is waited for any more. */
  readonly interrupt: AbortSignal;
  /** Path of a dependency's log relative to the run directory, and how to write there. */
  readonly log: (alias: string) => Pick<DependencyStart, 'log' | 'openLog'>;
}): Promise<OpenedTargetSite> {
  const { driver, engine, name, target, ownership, helperImage } = options;
  const { outbound } = target;
  const network = await driver.createNetwork(name, { internal: !outbound, ownership });
  if (helperImage !== undefined) {
    await driver.hold({ name: `${name}-holder`, image: helperImage, command: ['hold'], env: {}, network, ownership });
  }
  const gateway = engineVantage(engine).vantage === 'direct' ? await driver.gatewayOf(network) : undefined;
  const started: StartedDependency[] = [];
  const running: RunningDependency[] = [];
  for (const dependency of target.dependencies) {
    const hosts = hostsOf(running);
    const { alias } = dependency;
    const log = options.log(alias);
    const more = { ...options, dependency, name: `${name}-${alias}`, network, outbound, hosts, ...log };
    const one = await startDependency({ ...more, secrets: target.secrets });
    started.push(one);
    if (one.running === undefined || options.interrupt.aborted) break;
    running.push(one.running);
  }
  const failure = started.find(({ reported }) => reported.failure !== undefined)?.reported.failure;
  return {
    network,
    ...(gateway === undefined ? {} : { gateway }),
    dependencies: { running, ...(failure === undefined ? {} : { failure }) },
    reported: started.map(({ reported }) => reported),
    close() {
      for (const one of started) one.close();
    },
  };
}

/** The names of dependencies as a container's `/etc/hosts` has them: a network without a way out has no name server. */
export function hostsOf(running: readonly RunningDependency[]): Record<string, string> {
  return Object.fromEntries(running.flatMap(({ alias, address }) => (address === undefined ? [] : [[alias, address]])));
}
