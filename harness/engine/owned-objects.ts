import type { OwnedObject } from './driver.ts';
import { OWNER_LABEL, RUN_LABEL } from './driver.ts';
import { removeContainer } from './engine-containers.ts';
import type { EngineConnection } from './engine-connection.ts';
import { untagImage } from './engine-images.ts';
import { removeNetwork } from './engine-networks.ts';

/** Repository prefix of the names a run gives to images it carried over; the next part is the run id. */
export const RUN_IMAGE_PREFIX = 'lf-qualify-run/';

/** The run id in `lf-qualify-run/<run>:tag`, also with the registry that Podman puts in front. */
export function runOfImage(name: string): string | undefined {
  return /^(?:localhost\/|docker\.io\/)?lf-qualify-run\/([^/:@]+)/.exec(name)?.[1];
}

function owner(type: 'container' | 'network', id: string, name: string, labels: Readonly<Record<string, string>> = {}) {
  return { type, id, name, run: labels[RUN_LABEL] ?? '', owner: labels[OWNER_LABEL] ?? '' } as const;
}

/** Containers in any state and networks with the run label, and images named for a run (their owner is not known: ''). */
export async function ownedObjects(connection: EngineConnection): Promise<readonly OwnedObject[]> {
  const { caller } = connection;
  const client = await connection.client();
  const filters = { label: [RUN_LABEL] };
  const containers = await caller.run('list containers', () => client.listContainers({ all: true, filters }));
  const networks = await caller.run('list networks', () => client.listNetworks({ filters }));
  const images = await caller.run('list images', () => client.listImages());
  const named = images.flatMap((image) => (image.RepoTags ?? []).map((name) => ({ id: image.Id, name })));
  return [
    ...containers.map((one) => owner('container', one.Id, (one.Names[0] ?? '').replace(/^\//, ''), one.Labels)),
    ...networks.map((one) => owner('network', one.Id, one.Name, one.Labels)),
    ...named.flatMap(({ id, name }): OwnedObject[] => {
      const run = runOfImage(name);
      return run === undefined ? [] : [{ type: 'image', id, name, run, owner: '' }];
    }),
  ];
}

/** Removes one of them; fine when already gone. An image loses only the run's name. */
export async function removeOwned(connection: EngineConnection, object: OwnedObject): Promise<void> {
  if (object.type === 'container') await removeContainer(connection, object.id);
  else if (object.type === 'network') await removeNetwork(connection, object.id);
  else await untagImage(connection, object.name);
}
