import type { EngineDriver, Ownership } from '../engine/driver.ts';
import { runImageName } from '../engine/owned-objects.ts';
import type { ImageFacts } from '../model/engine.ts';
import { EngineError, UsageError } from '../model/errors.ts';

/** One image as it is on every engine of a run: the same bytes everywhere (architecture rule 12). */
export interface PreparedImage {
  readonly reference: string;
  /** By engine name. */
  readonly facts: ReadonlyMap<string, ImageFacts>;
}

/**
 * Make an image available on all engines with the same config digest. The first engine that has it is the source; an
 * engine that lacks it, or has other bytes under the name, gets it under a name of the run (the user's tags are never
 * moved). One that no engine has is pulled by the first. Throws UsageError naming the image when it is nowhere.
 */
export async function prepareImage(
  reference: string,
  drivers: readonly EngineDriver[],
  ownership: Ownership,
  say: (line: string) => void,
): Promise<PreparedImage> {
  const found = await Promise.all(drivers.map((driver) => driver.inspectImage(reference)));
  let at = found.findIndex((facts) => facts !== undefined);
  if (at < 0) {
    found[0] = await pull(reference, drivers, say);
    at = 0;
  }
  const source = found[at];
  const from = drivers[at];
  if (source === undefined || from === undefined)
    throw new UsageError(`image "${reference}" could not be inspected after the pull`);
  const facts = new Map<string, ImageFacts>();
  for (const [index, driver] of drivers.entries()) {
    const here = found[index];
    facts.set(
      driver.name,
      here?.digest === source.digest
        ? here
        : await carry({ reference, source, from, to: driver, ownership, here, say }),
    );
  }
  return { reference, facts };
}

async function pull(
  reference: string,
  drivers: readonly EngineDriver[],
  say: (line: string) => void,
): Promise<ImageFacts | undefined> {
  const [first] = drivers;
  if (first === undefined) throw new EngineError('there is no engine to pull with');
  say(`${reference}: on no engine; ${first.name} pulls it`);
  try {
    await first.pullImage(reference, (line) => say(`${first.name}: ${line}`));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof EngineError && error.lost) throw error;
    throw new UsageError(
      `image "${reference}": no engine has it and it could not be pulled (${why}); check the name, build it, or log in to its registry`,
      { cause: error },
    );
  }
  return await first.inspectImage(reference);
}

async function carry(options: {
  readonly reference: string;
  readonly source: ImageFacts;
  readonly from: EngineDriver;
  readonly to: EngineDriver;
  readonly ownership: Ownership;
  readonly here: ImageFacts | undefined;
  readonly say: (line: string) => void;
}): Promise<ImageFacts> {
  const { reference, source, from, to, ownership, here, say } = options;
  const why = here === undefined ? 'does not have it' : `has other bytes under this name (${short(here.digest)})`;
  const present = await to.inspectImage(source.digest);
  if (present === undefined) {
    say(`${reference}: ${to.name} ${why}; carrying ${short(source.digest)} over from ${from.name}`);
    const { stream } = await from.saveImage(source.digest);
    await to.loadImage(stream, (line) => say(`${to.name}: ${line}`));
  } else say(`${reference}: ${to.name} ${why}; it has ${short(source.digest)} under another name`);
  const { repository, tag } = runImageName(ownership, short(source.digest));
  await to.tagImage(source.digest, repository, tag);
  const carried = await to.inspectImage(source.digest);
  if (carried?.digest !== source.digest) {
    throw new EngineError(
      `${reference}: ${to.name} took the image of ${from.name} but lists other bytes (${carried?.digest ?? 'nothing'} instead of ${source.digest})`,
    );
  }
  return { ...carried, reference };
}

function short(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
