import { exited, finish, hold, load, ready, scenario, signal, slowBodies } from '../harness/index.ts';

scenario({
  id: 'signal/second-same',
  title: 'the same signal again, at any distance, ends the stop as the preset says',
  needs: ['http'],
  matrix: { signal: ['primary', 'INT', 'HUP'], apart: ['10ms', '20ms', '50ms', '100ms', '500ms'] },
  sweep: { column: 'apart', to: '5ms' },
  load: [slowBodies(2)],
  // the engine takes about 8 ms from the call to the process; the work is let go once a shortened stop must be over
  script: [
    ready(),
    load(),
    signal('$signal'),
    hold('$apart - 8ms'),
    signal('$signal'),
    hold('1200ms'),
    finish(),
    exited(),
  ],
  clauses: ['SIG-4', 'SIG-5', 'SIG-6'],
});
