import { randomBytes } from 'node:crypto';
import type { Discovery } from '../model/discovery.ts';
import type { EngineName, ImageFacts } from '../model/engine.ts';
import type { Profile } from '../model/profile.ts';
import { EngineError } from '../model/errors.ts';
import { prepareImage } from '../run/carry.ts';
import { findHelper } from '../run/helper-image.ts';
import { processIdentity } from '../run/owner.ts';
import type { TargetFlags } from '../run/resolve-target.ts';
import type { Vantage } from '../run/vantage.ts';
import { runId } from '../store/run-id.ts';
import { imageChoice } from './image-choice.ts';
import type { Interrupts } from './interrupts.ts';
import { Looks, targetOf } from './looks.ts';
import type { RunOptions } from './options.ts';
import { packageRoot } from './package-info.ts';
import type { Progress } from './progress.ts';
import { select } from './selection.ts';
import { cleanUp, openEngines } from './session.ts';

/** How an image is found and its one container is set up. */
export interface LookOptions {
  /** Engines that may be asked. Empty: every engine found; the look is on the first local one. */
  readonly engines: readonly EngineName[];
  /** Which bytes the name stands for, as of a run. */
  readonly source: RunOptions['source'];
  /** What the command line says: environment and stop signal go into the container. */
  readonly flags: TargetFlags;
  /** What is declared already: environment, command, files, volumes, user go into the container. */
  readonly profile?: Profile;
  readonly vantage?: Vantage;
  readonly progress: Progress;
  readonly interrupt: Interrupts;
}

/**
 * Look at one running container of an image, for `lf-qualify init`: open the engines, find the image (pulled as a run
 * would), discover, remove all that was made. What is declared changes nothing of it but how the container is set up;
 * dependencies are not started. Throws UsageError for an image that is nowhere, EngineError for an engine that is missing,
 * lost, or does not start the image, and when interrupted.
 */
export async function lookAt(
  reference: string,
  options: LookOptions,
): Promise<{ readonly discovery: Discovery; readonly facts: ImageFacts }> {
  const { progress, interrupt, flags, profile, vantage } = options;
  const helper = await findHelper(packageRoot);
  const engines = await openEngines(options.engines, process.env, undefined, options.source.from);
  const run = runId(new Date(), randomBytes(3).toString('hex'));
  const ownership = { run, owner: processIdentity() };
  const engine = engines.open.find(({ facts }) => facts.local) ?? engines.open[0];
  const looks = new Looks({
    engines: engines.open,
    ownership,
    helper,
    progress,
    interrupt: interrupt.signal,
    ...(vantage === undefined ? {} : { vantage }),
  });
  try {
    if (engine === undefined) throw new EngineError('no engine answers');
    const choice = imageChoice(options.source, engines, process.env, progress.say);
    const drivers = [engine, ...engines.open.filter((other) => other !== engine)].map(({ driver }) => driver);
    const image = await interrupt.or(prepareImage(reference, drivers, ownership, progress.say, choice));
    const facts = image.facts.get(engine.facts.name);
    if (facts === undefined) throw new EngineError(`${engine.facts.name} does not have ${reference}`);
    const selection = select([], [], []);
    const target = targetOf({ flags, selection, ...(profile === undefined ? {} : { profile }) }, facts);
    const { discovery } = await interrupt.or(looks.look(engine, { facts, target, label: reference }));
    return { discovery, facts };
  } finally {
    await looks.settled();
    await cleanUp(engines.open, run, progress, interrupt.signal.aborted);
    await engines.close();
  }
}
