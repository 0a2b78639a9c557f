import { exited, load, probe, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'deadline/work-past-grace',
  title: 'work that outlasts the grace is cut at the graceful deadline, with the status of an expired deadline',
  needs: ['http'],
  matrix: { grace: ['normal', 700, 1500] },
  setting: { grace: '$grace' },
  load: [slowBodies(2)],
  script: [ready(), probe(), load(), signal('primary'), exited()],
  clauses: ['DLN-1', 'DLN-2', 'DLN-3', 'DLN-7', 'CFG-3', 'OBS-3'],
});
