import {
  acknowledges,
  exited,
  finish,
  gateClosed,
  hold,
  http2Sessions,
  load,
  probe,
  ready,
  registered,
  scenario,
  signal,
} from '../harness/index.ts';

scenario({
  id: 'drain/http2',
  title: 'over HTTP/2 new work is turned away, sessions get GOAWAY, and streams in flight complete',
  needs: ['http2'],
  // a service without a controller has no goodbye, and may refuse new connections from the signal on
  setting: { controller: acknowledges('300ms') },
  load: [http2Sessions(4)],
  script: [
    ready(),
    registered(),
    load(),
    // each new connection is a TLS handshake: every 5 ms they would keep the service from its own work
    probe('20ms', 24, 'h2'),
    signal('primary'),
    gateClosed(),
    hold('serveAfter + 700ms'),
    finish(),
    exited(),
  ],
  clauses: ['ADM-1', 'ADM-2', 'ADM-5', 'DRN-7'],
});
