import { exited, hold, load, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-different',
  title: 'a second, different signal leaves the accepted reason as it was',
  matrix: { first: ['TERM'], second: ['INT'] },
  needs: ['http'],
  load: [slowBodies(1)],
  script: [ready(), load(), signal('$first'), hold('100ms'), signal('$second'), exited()],
  clauses: ['SIG-4'],
});
