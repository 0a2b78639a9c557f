import { exited, ready, scenario, stop } from '../harness/index.ts';

scenario({
  id: 'signal/engine-stop',
  title: 'the engine’s own stop behaves as the bare signal does',
  matrix: { timeout: ['default', 'given'] },
  script: [ready(), stop('$timeout'), exited('hardDeadline + 13s')],
  clauses: ['IMG-5'],
});
