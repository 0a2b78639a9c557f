import { exited, load, ready, scenario, signal, webSockets } from '../harness/index.ts';

scenario({
  id: 'websockets/peer-does-not-go-on',
  title: 'a WebSocket peer that answers no Close, or stops reading, holds no stop past its bound',
  needs: ['http', 'websocket'],
  matrix: { kind: ['never-closes', 'stops-reading'] },
  load: [webSockets('$kind', 2)],
  script: [ready(), load(), signal('primary'), exited()],
  clauses: ['WSS-5'],
});
