import { exited, load, probe, ready, scenario, signal, streams } from '../harness/index.ts';

scenario({
  id: 'deadline/endless-streams',
  title: 'streaming answers without an end of their own are cut by the deadline',
  needs: ['http', 'stream'],
  load: [streams('chunked', 1), streams('sse', 1)],
  script: [ready(), probe(), load(), signal('primary'), exited()],
  clauses: ['DRN-4', 'DLN-7', 'DLN-3', 'OBS-3'],
});
