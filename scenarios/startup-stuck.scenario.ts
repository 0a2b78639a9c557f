import { configServer, exited, pending, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/stuck',
  title: 'what cannot be unwound does not hold the abort of the start-up beyond the floor',
  needs: ['fault', 'bootstrap'],
  setting: { fault: 'stuck-start-up', bootstrap: configServer('holds') },
  script: [pending('bootstrap'), signal('primary'), exited('5s')],
  clauses: ['STA-3'],
});
