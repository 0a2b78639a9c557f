import { exited, load, probe, ready, scenario, signal, stalled } from '../harness/index.ts';

scenario({
  id: 'drain/stalled',
  title: 'a connection that does not go on holds no stop past its bound',
  needs: ['http'],
  matrix: {
    kind: [
      'silent',
      'half-request-line',
      'half-headers',
      'half-body',
      'half-tls-handshake',
      'reader-stops',
      'half-closed',
    ],
  },
  load: [stalled('$kind'), stalled('$kind', 'https')],
  script: [ready(), probe('50ms', 0), load(), signal('primary'), exited()],
  clauses: ['DRN-6'],
});
