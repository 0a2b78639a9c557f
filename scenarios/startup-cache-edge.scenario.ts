import {
  acknowledges,
  configServer,
  earlyProbe,
  exited,
  lookInside,
  pending,
  release,
  scenario,
  signal,
} from '../harness/index.ts';

scenario({
  id: 'startup/cache-edge',
  title: 'a signal in the instant in which the rest of the config comes leaves the cache whole or absent',
  needs: ['bootstrap'],
  setting: { bootstrap: configServer('holds-half'), controller: acknowledges('0ms') },
  script: [earlyProbe(), pending('bootstrap'), release('bootstrap'), signal('primary'), exited('3s'), lookInside()],
  clauses: ['STA-5', 'STA-6'],
});
