import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { EngineError } from '../model/errors.ts';
import type { OwnedObject, Ownership } from './driver.ts';
import { OWNER_LABEL, RUN_LABEL } from './driver.ts';
import { removeContainer } from './engine-containers.ts';
import type { EngineConnection } from './engine-connection.ts';
import { untagImage } from './engine-images.ts';
import { removeNetwork } from './engine-networks.ts';

/** Repository prefix of the names a run gives to images it carried over; the next part is the run id. */
export const RUN_IMAGE_PREFIX = 'lf-qualify-run/';

/**
 * The name of a carried image: `lf-qualify-run/<run>` and the owner as the tag, since a name is all that an image of
 * somebody else can be given. `about` tells several images of one run apart.
 */
export function runImageName(
  ownership: Ownership,
  about: string,
): { readonly repository: string; readonly tag: string } {
  return { repository: `${RUN_IMAGE_PREFIX}${ownership.run}`, tag: `${about}_${ownership.owner.replaceAll(':', '.')}` };
}

/** Run and owner in such a name, also with the registry that Podman puts in front; undefined for other names. */
export function runOfImage(name: string): Ownership | undefined {
  const [, run, tag = ''] = /^(?:localhost\/|docker\.io\/)?lf-qualify-run\/([^/:@]+)[^:]*(?::(.*))?$/.exec(name) ?? [];
  const [, owner = ''] = tag.split('_');
  return run === undefined ? undefined : { run, owner: owner.replaceAll('.', ':') };
}

function owner(type: 'container' | 'network', id: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  return { type, id, name, run: labels[RUN_LABEL] ?? '', owner: labels[OWNER_LABEL] ?? '' } as const;
}

/** Containers in any state and networks with the run label, and images named for a run. */
export async function ownedObjects(connection: EngineConnection): Promise<readonly OwnedObject[]> {
  const { caller } = connection;
  const client = await connection.client();
  const filters = { label: [RUN_LABEL] };
  const containers = await caller.run('list containers', () => client.listContainers({ all: true, filters }));
  const networks = await caller.run('list networks', () => client.listNetworks({ filters }));
  const images = await listImages(connection);
  const named = images.flatMap((image) => (image.RepoTags ?? []).map((name) => ({ id: image.Id, name })));
  return [
    ...containers.map((one) => owner('container', one.Id, (one.Names[0] ?? '').replace(/^\//, ''), one.Labels)),
    ...networks.map((one) => owner('network', one.Id, one.Name, one.Labels)),
    ...named.flatMap(({ id, name }): OwnedObject[] => {
      const ownership = runOfImage(name);
      return ownership === undefined ? [] : [{ type: 'image', id, name, ...ownership }];
    }),
  ];
}

const MOST_LISTINGS = 10;
const LISTING_PAUSE_MS = 50;

/**
 * Podman lists images first and reads each one then: one that somebody removes in between fails the whole list with 500
 * and `image not known`. It is asked again.
 */
async function listImages({ client, caller }: EngineConnection): Promise<readonly Docker.ImageInfo[]> {
  const engine = await client();
  for (let listing = 1; ; listing += 1) {
    try {
      return await caller.run('list images', () => engine.listImages());
    } catch (error) {
      const goneMeanwhile = error instanceof EngineError && /image not known/i.test(error.message);
      if (!goneMeanwhile || listing === MOST_LISTINGS) throw error;
      await sleep(LISTING_PAUSE_MS);
    }
  }
}

/** Removes one of them; fine when already gone. An image loses only the run's name. */
export async function removeOwned(connection: EngineConnection, object: OwnedObject): Promise<void> {
  if (object.type === 'container') await removeContainer(connection, object.id);
  else if (object.type === 'network') await removeNetwork(connection, object.id);
  else await untagImage(connection, object.name);
}
