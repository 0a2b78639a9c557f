import { exited, finish, hold, load, ready, scenario, signal, webSockets } from '../harness/index.ts';

scenario({
  id: 'websockets/backlog',
  title: 'frames that are queued at the signal are flushed before the Close',
  needs: ['http', 'websocket'],
  load: [webSockets('backlog', 2)],
  script: [ready(), load(), signal('primary'), hold('200ms'), finish(), exited()],
  clauses: ['WSS-4'],
});
