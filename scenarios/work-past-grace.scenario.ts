import { exited, load, ready, scenario, signal, slowRequests } from '../harness/index.ts';

scenario({
  id: 'deadline/work-past-grace',
  title: 'work that outlasts the grace ends with the status of an expired deadline',
  needs: ['http'],
  load: slowRequests(1),
  script: [ready(), load(), signal('primary'), exited()],
  clauses: ['DLN-2', 'OBS-3'],
});
