import { exited, finish, hold, load, ready, scenario, signalFromHost, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-close',
  title: 'two different signals closer to each other than an engine sends them',
  needs: ['http'],
  load: [slowBodies(2)],
  script: [ready(), load(), signalFromHost('primary'), signalFromHost('INT'), hold('1200ms'), finish(), exited()],
  clauses: ['SIG-6-close'],
});
