import { exited, hold, load, ready, scenario, signal, slowRequests } from '../harness/index.ts';

scenario({
  id: 'signal/second-different',
  title: 'a second, different signal leaves the accepted reason as it was',
  matrix: { first: ['TERM'], second: ['INT'] },
  needs: ['http'],
  load: slowRequests(1),
  script: [ready(), load(), signal('$first'), hold('100ms'), signal('$second'), exited()],
  clauses: ['SIG-4'],
});
