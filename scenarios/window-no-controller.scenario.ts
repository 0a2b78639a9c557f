import {
  exited,
  finish,
  halfHeaders,
  hold,
  load,
  probe,
  ready,
  scenario,
  signal,
  slowBodies,
} from '../harness/index.ts';

scenario({
  id: 'window/no-controller',
  title: 'without a controller new work is turned away from the signal on, while old work drains',
  needs: ['http'],
  load: [slowBodies(2), halfHeaders(1)],
  script: [ready(), load(), probe('5ms', 16), signal('primary'), hold('400ms'), finish(), exited()],
  clauses: ['ADM-1', 'ADM-2', 'ADM-4', 'ADM-5', 'ADM-6', 'ADM-8', 'ADM-9', 'DRN-8', 'DRN-9', 'DRN-9-fast'],
});
