import { exited, gateClosed, probe, ready, registered, scenario, signal, silent } from '../harness/index.ts';

scenario({
  id: 'window/silent-controller',
  title: 'with a controller that does not answer new work is turned away at once',
  needs: ['http', 'registry'],
  setting: { controller: silent() },
  script: [ready(), registered(), probe('5ms', 32), signal('primary'), gateClosed(), exited()],
  clauses: ['ADM-3', 'ADM-5'],
});
