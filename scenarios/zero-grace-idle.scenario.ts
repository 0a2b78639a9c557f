import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'deadline/zero-grace-idle',
  title: 'a grace of 0 with nothing in flight: ends at once, or is refused at start-up',
  needs: ['grace env'],
  matrix: { grace: [0] },
  setting: { grace: '$grace' },
  script: [ready(), signal('primary'), exited()],
  clauses: ['DLN-4'],
});
