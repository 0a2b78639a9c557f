import { earlyProbe, exited, scenario, starting } from '../harness/index.ts';

scenario({
  id: 'startup/fails',
  title: 'with a configuration that it cannot start from it exits nonzero by itself',
  needs: ['fault'],
  setting: { fault: 'bad-configuration' },
  script: [earlyProbe(), starting('15s'), exited('500ms')],
  clauses: ['STA-11'],
});
