import { exited, load, ready, scenario, signal, webSockets } from '../harness/index.ts';

scenario({
  id: 'websockets/open',
  title: 'open WebSockets, idle, busy and silent, get a Close and do not hold the stop',
  needs: ['http', 'websocket'],
  load: [webSockets('idle', 4), webSockets('chatty', 2), webSockets('unregistered', 2)],
  script: [ready(), load(), signal('primary'), exited()],
  clauses: ['WSS-1', 'WSS-2', 'WSS-3', 'DLN-7'],
});
