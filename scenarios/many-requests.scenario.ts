import {
  exited,
  finish,
  hold,
  load,
  probe,
  ready,
  scenario,
  signal,
  slowBodies,
  warmSlowBodies,
} from '../harness/index.ts';

scenario({
  id: 'drain/many-requests',
  title: 'many requests at once, more than a service has workers, all complete; over TLS too',
  needs: ['http'],
  load: [slowBodies(64), slowBodies(4, 'https'), warmSlowBodies(1, 'https')],
  script: [ready(), probe(), load(), signal('primary'), hold('400ms'), finish(), exited()],
  clauses: ['SIG-8', 'DRN-1', 'DRN-2', 'DRN-8', 'DRN-9', 'DRN-9-fast'],
});
