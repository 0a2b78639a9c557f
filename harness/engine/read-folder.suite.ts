import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { processIdentity } from '../run/owner.ts';
import { BOX_IMAGE } from './container-setup.suite.ts';
import { requireImage } from './driver-contract.suite.ts';
import type { EngineDriver, RunningContainer } from './driver.ts';
import { FOLDER_LIMIT_BYTES } from './read-folder.ts';

/** Leaves files in a volume and in its layer, among them a link, an empty folder and one file that is too large, and ends. */
export const LEAVES_FILES = [
  '/bin/sh',
  '-c',
  [
    'mkdir -p /volume/deep/er /volume/empty /layer',
    'printf one >/volume/b; printf "" >/volume/a; printf two >/volume/deep/er/c; ln -s /etc/passwd /volume/link',
    `head -c ${FOLDER_LIMIT_BYTES + 1} /dev/zero >/volume/large; printf three >/volume/z`,
    'printf four >/layer/d; exit 0',
  ].join('; '),
];

/** One engine as the suite needs it. */
export interface FoldersRead {
  readonly title: string;
  open(): EngineDriver;
}

/** What is promised of the files of a container that has ended. */
export function readFolders(engine: FoldersRead): void {
  describe(`${engine.title} reads folders of a container that has ended`, () => {
    const run = `folder-${randomUUID().slice(0, 8)}`;
    const ownership = { run, owner: processIdentity() };
    let driver: EngineDriver;
    let container: RunningContainer;

    beforeAll(async () => {
      driver = engine.open();
      const image = await requireImage(driver, BOX_IMAGE);
      const volumes = [{ path: '/volume' }, { path: '/nothing' }];
      const spec = { name: `lfq-${run}`, image, command: LEAVES_FILES, volumes, env: {}, ownership };
      container = await driver.start(spec);
      await container.ended(new AbortController().signal);
    });
    afterEach(async () => expect(await container.inspect()).toMatchObject({ running: false, exitCode: 0 }));
    afterAll(async () => {
      for (const object of (await driver?.owned()) ?? []) if (object.run === run) await driver.removeOwned(object);
      driver?.close();
    });

    it('of a volume: each file with its size and its content, by name, at any depth, and nothing that is no file', async () => {
      const files = await driver.readFolder(container.id, '/volume');
      expect(files.map(({ name, bytes, content }) => [name, bytes, content?.toString()])).toEqual([
        ['a', 0, ''],
        ['b', 3, 'one'],
        ['deep/er/c', 3, 'two'],
        ['large', FOLDER_LIMIT_BYTES + 1, undefined],
        ['z', 5, 'three'],
      ]);
    });

    it('of its layer, also where the path ends with a slash, and one that is empty', async () => {
      const files = await driver.readFolder(container.id, '/layer/');
      expect(files).toEqual([{ name: 'd', bytes: 4, content: Buffer.from('four') }]);
      expect(await driver.readFolder(container.id, '/nothing')).toEqual([]);
    });

    it('and names a folder that is not there', async () => {
      const failed = driver.readFolder(container.id, '/no/such/folder');
      await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false });
      await expect(failed).rejects.toThrow('/no/such/folder');
    });
  });
}
