import { BOX_IMAGE } from './container-setup.suite.ts';
import { fakeEngine, fakeImageFacts } from './fake.ts';
import type { FakeProgram } from './fake-behaviour.ts';
import { LEAVES_SOMETHING, startAgain } from './start-again.suite.ts';

/** A fake container has no files: its second start says what a real one finds. */
const leavesSomething: FakeProgram = ({ command }) => {
  if (command !== LEAVES_SOMETHING) throw new Error('not the command of this suite');
  return {
    onStart: { output: [{ text: 'ready\n' }] },
    onStartAgain: { output: [{ text: 'layer\nvolume\nready\n' }] },
    onSignal: (signal) => (signal === 'TERM' ? { output: [{ text: 'bye\n' }], exit: { code: 7 } } : undefined),
  };
};

startAgain({
  title: 'fake',
  open: () => fakeEngine({ images: { [BOX_IMAGE]: { facts: fakeImageFacts(BOX_IMAGE), program: leavesSomething } } }),
});
