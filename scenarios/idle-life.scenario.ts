import { ready, scenario, watch } from '../harness/index.ts';

scenario({
  id: 'startup/idle-life',
  title: 'without a signal the service serves beyond grace and floor',
  script: [ready(), watch('idleWatch', '250ms')],
  clauses: ['STA-8'],
});
