import { configServer, earlyProbe, exited, lookInside, pending, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/pending-bootstrap',
  title: 'a signal while the config server is silent, or has sent half of its answer, ends the start',
  needs: ['bootstrap'],
  matrix: { config: ['holds', 'holds-half'], signal: ['primary', 'INT'] },
  setting: { bootstrap: configServer('$config') },
  script: [earlyProbe(), pending('bootstrap'), signal('$signal'), exited('3s'), lookInside()],
  clauses: ['STA-2', 'STA-5', 'STA-6'],
});
