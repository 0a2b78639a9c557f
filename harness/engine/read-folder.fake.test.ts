import { BOX_IMAGE } from './container-setup.suite.ts';
import { fakeEngine, fakeImageFacts } from './fake.ts';
import type { FakeProgram } from './fake-behaviour.ts';
import { FOLDER_LIMIT_BYTES } from './read-folder.ts';
import { LEAVES_FILES, readFolders } from './read-folder.suite.ts';

const file = (name: string, text: string) => ({ name, bytes: text.length, content: Buffer.from(text) });

/** A fake container has no files: its script says what a real one leaves. */
const leavesFiles: FakeProgram = ({ command }) => {
  if (command !== LEAVES_FILES) throw new Error('not the command of this suite');
  const large = { name: 'large', bytes: FOLDER_LIMIT_BYTES + 1 };
  const folders = new Map([
    ['/volume', [file('a', ''), file('b', 'one'), file('deep/er/c', 'two'), large, file('z', 'three')]],
    ['/layer', [file('d', 'four')]],
    ['/nothing', []],
  ]);
  return { onStart: { exit: { code: 0 } }, folder: (path) => folders.get(path.replace(/\/$/, '')) };
};

readFolders({
  title: 'fake',
  open: () => fakeEngine({ images: { [BOX_IMAGE]: { facts: fakeImageFacts(BOX_IMAGE), program: leavesFiles } } }),
});
