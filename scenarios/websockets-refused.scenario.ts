import { exited, finish, hold, load, ready, scenario, signal, webSockets } from '../harness/index.ts';

scenario({
  id: 'websockets/closing',
  title: 'a WebSocket that is being closed at the signal gets its whole Close frame',
  needs: ['http', 'websocket'],
  load: [webSockets('refused', 2)],
  script: [ready(), load(), signal('primary'), hold('200ms'), finish(), exited()],
  clauses: ['WSS-7'],
});
