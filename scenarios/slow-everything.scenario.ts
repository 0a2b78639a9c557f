import {
  acknowledges,
  exited,
  load,
  probe,
  ready,
  registered,
  scenario,
  signal,
  slowBodies,
} from '../harness/index.ts';

scenario({
  id: 'deadline/slow-everything',
  title: 'slow goodbye, slow work and slow clean-up share one deadline',
  needs: ['http', 'fault'],
  // a service without a controller has no goodbye to be slow
  setting: { controller: acknowledges('grace/2'), fault: 'slow-clean-up' },
  load: [slowBodies(2)],
  script: [ready(), registered(), probe(), load(), signal('primary'), exited()],
  clauses: ['DLN-5', 'DLN-3'],
});
