import type { Ownership } from '../engine/driver.ts';
import type { Lanes } from '../run/lanes.ts';
import type { OpenedTargetSite, TargetSite } from '../run/target-site.ts';
import { needsOwnSite, openTargetSite } from '../run/target-site.ts';
import type { Vantage } from '../run/vantage.ts';
import { dependencyLogPath, openDependencyLog, writeDependencies } from '../store/dependency-files.ts';
import type { PreparedRun } from './prepare.ts';
import { targetOf } from './prepare.ts';
import type { Progress } from './progress.ts';
import type { OpenEngine } from './session.ts';

/** The sites of the targets of one engine that have one of their own, by the target's name. */
export interface TargetSites {
  readonly sites: ReadonlyMap<string, TargetSite>;
  /** Write what is left of the dependencies' output. */
  close(): void;
}

/**
 * Make the networks and start the dependencies of every target on one engine that needs them, before its first scenario.
 * Throws EngineError; a dependency that does not come up is in its site instead, and in the run directory.
 */
export async function openTargetSites(options: {
  readonly engine: OpenEngine;
  readonly prepared: PreparedRun;
  readonly ownership: Ownership;
  readonly helperImage: string | undefined;
  readonly vantage: Vantage | undefined;
  /** Absolute path of the run directory. */
  readonly directory: string;
  readonly lanes: Lanes;
  readonly progress: Progress;
  readonly interrupt: AbortSignal;
}): Promise<TargetSites> {
  const { prepared, ownership, helperImage, vantage, directory, progress, interrupt } = options;
  const { driver, facts: engine } = options.engine;
  const opened = new Map<string, OpenedTargetSite>();
  const mine = prepared.plan.targets
    .filter((planned) => planned.engine === engine.name)
    .map((planned) => targetOf(prepared, planned))
    .filter(needsOwnSite);
  for (const [index, target] of mine.entries()) {
    if (interrupt.aborted) break;
    const site = await options.lanes.within('shared', async () => {
      return await openTargetSite({
        driver,
        engine,
        name: `lfq-${ownership.run}-${index + 1}`,
        target,
        ownership,
        interrupt,
        log: (alias) => {
          const log = dependencyLogPath(engine.name, target.name, alias);
          return { log, openLog: () => openDependencyLog(directory, log) };
        },
        ...(helperImage === undefined ? {} : { helperImage }),
        ...(vantage === undefined ? {} : { vantage }),
      });
    });
    opened.set(target.name, site);
    for (const { alias, reference, readyAfterMs, failure } of site.reported)
      progress.say(
        `${engine.name}: ${failure ?? `dependency ${alias} (${reference}) of ${target.name} ready after ${readyAfterMs} ms`}`,
      );
  }
  const stored = [...opened].map(([image, { reported }]) => ({ engine: engine.name, image, dependencies: reported }));
  if (stored.some(({ dependencies }) => dependencies.length > 0)) {
    await writeDependencies(directory, engine.name, stored);
  }
  return {
    sites: opened,
    close() {
      for (const site of opened.values()) site.close();
    },
  };
}
