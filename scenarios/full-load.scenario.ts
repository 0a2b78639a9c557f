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
  webSockets,
} from '../harness/index.ts';

scenario({
  id: 'drain/full-load',
  title: 'a thousand requests and a thousand WebSockets at once: every one is accounted for',
  needs: ['http'],
  // a column that speaks of the grace: a service that declares none gets the 64 requests of drain/many-requests
  matrix: { at: ['grace/4'] },
  load: [slowBodies(1000), webSockets('idle', 1000)],
  script: [ready(), probe('5ms'), load(), signal('primary'), hold('$at'), finish(), exited()],
  clauses: ['DRN-2', 'DLN-7', 'WSS-2'],
});
