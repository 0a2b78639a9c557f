import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'instrument/sigkill',
  title: 'a SIGKILL is read back as 137',
  helper: ['wait'],
  script: [ready(), signal('KILL'), exited()],
  clauses: [],
});
