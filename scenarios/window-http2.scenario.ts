import { acknowledges, exited, gateClosed, probe, ready, registered, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'window/http2',
  title: 'over HTTP/2 too new work is turned away until the goodbye is acknowledged',
  needs: ['http2', 'registry'],
  setting: { controller: acknowledges('400ms') },
  // each new connection is a TLS handshake: every 5 ms they would keep the service from its own work
  script: [ready(), registered(), probe('20ms', 24, 'h2'), signal('primary'), gateClosed(), exited()],
  clauses: ['ADM-1', 'ADM-2', 'ADM-5'],
});
