import { configServer, earlyProbe, exited, scenario, starting } from '../harness/index.ts';

scenario({
  id: 'startup/no-config',
  title: 'where the config server fails and nothing is cached, a start that fails for it exits nonzero',
  needs: ['bootstrap'],
  setting: { bootstrap: configServer('fails') },
  script: [earlyProbe(), starting('8s'), exited('500ms')],
  clauses: ['STA-11'],
});
