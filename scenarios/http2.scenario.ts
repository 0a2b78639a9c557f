import { exited, finish, hold, http2Sessions, load, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'drain/http2',
  title: 'HTTP/2 sessions get GOAWAY, streams in flight complete, new streams are refused',
  needs: ['http2'],
  load: [http2Sessions(4)],
  script: [ready(), load(), signal('primary'), hold('400ms'), finish(), exited()],
  clauses: ['DRN-7'],
});
