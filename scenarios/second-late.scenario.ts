import { exited, hold, load, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-late',
  title: 'a second signal shortly before the end of the grace leaves the deadline where it was',
  needs: ['http'],
  load: [slowBodies(2)],
  script: [ready(), load(), signal('primary'), hold('grace - 300ms'), signal('primary'), exited()],
  clauses: ['SIG-7'],
});
