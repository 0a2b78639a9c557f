import { exited, finish, hold, load, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-different',
  title: 'a second, different signal ends the stop as the preset says, and leaves the accepted reason as it was',
  needs: ['http'],
  matrix: { first: ['primary', 'INT', 'HUP'], second: ['INT', 'primary', 'HUP'], apart: ['100ms'] },
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
  clauses: ['SIG-4', 'SIG-5', 'SIG-6'],
});
