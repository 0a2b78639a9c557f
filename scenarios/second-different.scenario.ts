import { exited, hold, load, ready, scenario, signal, slowRequests } from '../harness/index.ts';

scenario({
  id: 'signal/second-different',
  title: 'a second, different signal leaves the accepted reason as it was',
  needs: ['http'],
  load: slowRequests(1),
  script: [ready(), load(), signal('TERM'), hold('100ms'), signal('INT'), exited()],
  clauses: ['SIG-4'],
});
