import { exited, finish, hold, load, ready, scenario, slowBodies, storm } from '../harness/index.ts';

scenario({
  id: 'signal/storm',
  title: 'a hundred signals, or as many as go within a second, end the stop as two do',
  needs: ['http'],
  load: [slowBodies(2)],
  script: [ready(), load(), storm('primary', 100, '1s'), hold('700ms'), finish(), exited()],
  clauses: ['SIG-4', 'SIG-9'],
});
