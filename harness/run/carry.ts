import type { EngineDriver, Ownership } from '../engine/driver.ts';
import { runImageName } from '../engine/owned-objects.ts';
import type { ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { ImageChoice } from './image-source.ts';
import { sourceOf } from './image-source.ts';

/** One image as it is on every engine of a run: the same bytes everywhere (architecture rule 12). */
export interface PreparedImage {
  readonly reference: string;
  /** By engine name. */
  readonly facts: ReadonlyMap<string, ImageFacts>;
}

/**
 * Make an image available on all engines with the same config digest. The first engine that has it is the source; an
 * engine that lacks it, or has other bytes under the name, gets it under a name of the run (the user's tags are never
 * moved, except by the pull itself on the one engine that pulls). One that no engine has is pulled by the first, unless
 * `choice` says otherwise. Throws UsageError naming the image when it is nowhere, cannot be pulled, or is of another
 * platform.
 */
export async function prepareImage(
  reference: string,
  drivers: readonly EngineDriver[],
  ownership: Ownership,
  say: (line: string) => void,
  choice: ImageChoice = {},
): Promise<PreparedImage> {
  const found = await Promise.all(drivers.map((driver) => driver.inspectImage(reference)));
  const { from, source } = await sourceOf({ reference, drivers, found, say, choice });
  const facts = new Map<string, ImageFacts>();
  for (const [index, driver] of drivers.entries()) {
    const here = driver === from ? source : found[index];
    facts.set(
      driver.name,
      here?.digest === source.digest
        ? here
        : await carry({ reference, source, from, to: driver, ownership, here, say }),
    );
  }
  return { reference, facts };
}

interface Carriage {
  readonly reference: string;
  readonly source: ImageFacts;
  readonly from: EngineDriver;
  readonly to: EngineDriver;
  readonly ownership: Ownership;
  readonly here: ImageFacts | undefined;
  readonly say: (line: string) => void;
}

async function carry(options: Carriage): Promise<ImageFacts> {
  const { reference, source, from, to, ownership, here, say } = options;
  const why = here === undefined ? 'does not have it' : `has other bytes under this name (${short(here.digest)})`;
  const name = runImageName(ownership, short(source.digest));
  const present = await to.inspectImage(source.digest);
  if (present === undefined) {
    say(`${reference}: ${to.name} ${why}; carrying ${short(source.digest)} over from ${from.name}`);
    await carryNamed(options, name);
  } else say(`${reference}: ${to.name} ${why}; it has ${short(source.digest)} under another name`);
  await to.tagImage(source.digest, name.repository, name.tag);
  const carried = await to.inspectImage(source.digest);
  if (carried?.digest !== source.digest) {
    throw new EngineError(
      `${reference}: ${to.name} took the image of ${from.name} but lists other bytes (${carried?.digest ?? 'nothing'} instead of ${source.digest})`,
    );
  }
  return { ...carried, reference };
}

/**
 * Saved under the run's name, so that it arrives with that: what a run leaves that is killed between load and tag would
 * have no name to be found by. An image named by its id may have no other name, and would go with the run's on the source:
 * that one is saved by id.
 */
async function carryNamed(
  { reference, source, from, to, say }: Carriage,
  { repository, tag }: ReturnType<typeof runImageName>,
): Promise<void> {
  const byId = /^(sha256:)?[0-9a-f]{4,64}$/.test(reference);
  const saved = byId ? source.digest : `${repository}:${tag}`;
  if (!byId) await from.tagImage(source.digest, repository, tag);
  try {
    const { stream } = await from.saveImage(saved);
    await to.loadImage(stream, (line) => say(`${to.name}: ${line}`));
  } finally {
    if (!byId) await from.untagImage(saved);
  }
}

function short(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
