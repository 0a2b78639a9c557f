import { exited, ready, restart, scenario, signal, writeState } from '../harness/index.ts';

scenario({
  id: 'restart/clean-state',
  title: 'started again after its own stop it comes up on what it left',
  script: [ready(), writeState(), signal('primary'), exited(), restart()],
  clauses: ['RST-1', 'RST-2'],
});
