import {
  configServer,
  controllerThat,
  earlyProbe,
  exited,
  hold,
  pending,
  ready,
  release,
  scenario,
  signal,
} from '../harness/index.ts';

scenario({
  id: 'startup/gate',
  title: 'nothing is served before readiness, and then it is',
  needs: ['http', 'bootstrap', 'registry'],
  setting: { bootstrap: configServer('holds'), controller: controllerThat('holds-registration') },
  script: [
    earlyProbe('10ms'),
    pending('bootstrap'),
    hold('150ms'),
    release('bootstrap'),
    pending('registration'),
    hold('150ms'),
    release('registration'),
    ready(1),
    hold('100ms'),
    signal('primary'),
    exited(),
  ],
  clauses: ['STA-7'],
});
