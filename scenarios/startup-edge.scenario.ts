import { controllerThat, earlyProbe, exited, hold, pending, release, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/edge',
  title: 'a signal in the instant of readiness is not lost, and nothing is served after it',
  needs: ['registry'],
  matrix: { after: ['0ms', '5ms', '25ms'] },
  sweep: { column: 'after', to: '5ms' },
  setting: { controller: controllerThat('holds-registration') },
  script: [
    earlyProbe('5ms'),
    pending('registration'),
    release('registration'),
    hold('$after'),
    signal('primary'),
    exited(),
  ],
  clauses: ['STA-4'],
});
