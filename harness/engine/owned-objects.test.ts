import { describe, expect, it } from 'vitest';
import type { EngineConnection } from './engine-connection.ts';
import { engineCaller } from './engine-call.ts';
import { ownedObjects } from './owned-objects.ts';

/** An engine with one image of a run, whose listing of images fails so often, with these words, before it succeeds. */
function engine(failures: number, words: string): { connection: EngineConnection; listings: () => number } {
  let listings = 0;
  const client = {
    listContainers: async () => [],
    listNetworks: async () => [],
    listImages: async () => {
      listings += 1;
      if (listings <= failures) throw Object.assign(new Error(words), { statusCode: 500 });
      return [{ Id: 'sha256:1', RepoTags: ['localhost/lf-qualify-run/r1:abc_boot.1.2.3', 'others:1'] }];
    },
  };
  const caller = engineCaller('podman', 'unix:///podman.sock', async () => 'OK');
  return {
    connection: { client: async () => client, caller } as unknown as EngineConnection,
    listings: () => listings,
  };
}

describe('what runs own on an engine', () => {
  it('is listed again where somebody removed an image in between (Podman answers 500)', async () => {
    const { connection, listings } = engine(3, 'retrieving label for image "48": locating image: image not known');
    const name = 'localhost/lf-qualify-run/r1:abc_boot.1.2.3';
    const owned = { type: 'image', id: 'sha256:1', name, run: 'r1', owner: 'boot:1:2:3' };
    expect(await ownedObjects(connection)).toEqual([owned]);
    expect(listings()).toBe(4);
  });

  it('is not asked for without an end, nor after another fault', async () => {
    await expect(ownedObjects(engine(1000, 'image not known').connection)).rejects.toThrow('image not known');
    const broken = engine(1, 'no space left on device');
    await expect(ownedObjects(broken.connection)).rejects.toThrow('no space left on device');
    expect(broken.listings()).toBe(1);
  });
});
