import { exited, finish, hold, load, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-apart',
  title: 'a second, different signal is seen close to the first one and far from it',
  needs: ['http'],
  // the distance between is that of signal/second-different; what is between these is looked at where the outcome changes
  matrix: { first: ['primary', 'INT'], second: ['INT', 'primary'], apart: ['10ms', '500ms'] },
  sweep: { column: 'apart', to: '5ms' },
  load: [slowBodies(2)],
  script: [
    ready(),
    load(),
    signal('$first'),
    hold('$apart - 8ms'),
    signal('$second'),
    hold('1200ms'),
    finish(),
    exited(),
  ],
  clauses: ['SIG-6'],
});
