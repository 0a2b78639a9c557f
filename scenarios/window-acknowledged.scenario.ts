import { acknowledges, ask, exited, gateClosed, probe, ready, registered, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'window/acknowledged',
  title: 'with nothing in flight new work is turned away until the goodbye is acknowledged',
  needs: ['http', 'registry'],
  setting: { controller: acknowledges('400ms') },
  script: [ready(), registered(), probe('5ms', 48), signal('primary'), gateClosed(), ask(), exited()],
  clauses: ['ADM-1', 'ADM-2', 'ADM-5', 'ADM-6', 'ADM-7', 'ADM-8'],
});
