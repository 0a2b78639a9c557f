import {
  exited,
  finish,
  gateClosed,
  hold,
  load,
  probe,
  ready,
  scenario,
  signal,
  slowBodies,
  upgrade,
  webSockets,
} from '../harness/index.ts';

scenario({
  id: 'websockets/upgrade-after-gate',
  title: 'an upgrade after the gate closed is refused or closed at once, while old work drains',
  needs: ['http', 'websocket'],
  load: [slowBodies(2), webSockets('half-upgrade', 2)],
  // a service that refuses connections may never say 503: what comes so much later was certainly not sent before the gate
  script: [
    ready(),
    load(),
    probe('5ms', 32),
    signal('primary'),
    gateClosed(),
    hold('serveAfter + 150ms'),
    upgrade(),
    finish(),
    exited(),
  ],
  clauses: ['WSS-6'],
});
