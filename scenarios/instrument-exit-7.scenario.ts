import { exited, scenario } from '../harness/index.ts';

scenario({
  id: 'instrument/exit-7',
  title: 'an exit with 7 is read back as 7',
  helper: ['exit', '7'],
  script: [exited()],
  clauses: [],
});
