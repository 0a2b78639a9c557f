import { configServer, exited, hold, pending, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/second',
  title: 'a second signal does not prolong the abort of a start-up',
  needs: ['fault', 'bootstrap'],
  matrix: { second: ['primary', 'INT'] },
  setting: { fault: 'stuck-start-up', bootstrap: configServer('holds') },
  script: [pending('bootstrap'), signal('primary'), hold('floor - 100ms'), signal('$second'), exited('5s')],
  clauses: ['STA-10'],
});
