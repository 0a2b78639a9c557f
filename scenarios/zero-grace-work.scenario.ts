import { exited, load, probe, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'deadline/zero-grace-work',
  title: 'with a grace of 0 work is cut at once, within the floor',
  needs: ['http', 'grace env'],
  matrix: { grace: [0] },
  setting: { grace: '$grace' },
  load: [slowBodies(2)],
  script: [ready(), probe(), load(), signal('primary'), exited()],
  clauses: ['DLN-4', 'DLN-7'],
});
