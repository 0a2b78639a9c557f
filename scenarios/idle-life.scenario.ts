import { exited, idleKeepAlive, load, ready, scenario, signal, watch } from '../harness/index.ts';

scenario({
  id: 'startup/idle-life',
  title: 'without a signal the service serves beyond grace and floor; then idle connections do not hold its stop',
  load: [idleKeepAlive(8), idleKeepAlive(2, 'https'), idleKeepAlive(2, 'tcp')],
  script: [ready(), watch('idleWatch', '250ms'), load(), signal('primary'), exited()],
  clauses: ['STA-8', 'DRN-5'],
});
