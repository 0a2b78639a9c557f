import { exited, finish, hold, load, probe, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'deadline/grace-precision',
  title: 'work that ends just before a grace of 700 or 1500 ms completes',
  needs: ['http', 'grace env'],
  matrix: { grace: [700, 1500] },
  setting: { grace: '$grace' },
  load: [slowBodies(2)],
  script: [ready(), probe(), load(), signal('primary'), hold('grace - 150ms'), finish(), exited()],
  clauses: ['CFG-3'],
});
