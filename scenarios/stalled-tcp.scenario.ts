import { exited, load, ready, scenario, signal, stalled } from '../harness/index.ts';

scenario({
  id: 'drain/stalled-tcp',
  title: 'a connection to a port of bare TCP that does not go on holds no stop past its bound',
  needs: ['tcp'],
  matrix: { kind: ['half-sent', 'one-line', 'half-closed'] },
  load: [stalled('$kind', 'tcp')],
  script: [ready(), load(), signal('primary'), exited()],
  clauses: ['DRN-6'],
});
