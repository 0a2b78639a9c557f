import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'deadline/stuck-clean-up',
  title: 'clean-up that never ends cannot defeat the hard deadline',
  needs: ['fault'],
  matrix: { fault: ['stuck-clean-up', 'stuck-thread'] },
  setting: { fault: '$fault' },
  script: [ready(), signal('primary'), exited()],
  clauses: ['DLN-6'],
});
