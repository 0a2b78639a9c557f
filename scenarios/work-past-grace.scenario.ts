import { exited, load, probe, ready, scenario, signal, slowBodies, streams } from '../harness/index.ts';

scenario({
  id: 'deadline/work-past-grace',
  title: 'requests and endless streams that outlast the grace are cut at the graceful deadline, with its status',
  needs: ['http'],
  matrix: { grace: ['normal', 700, 1500] },
  setting: { grace: '$grace' },
  load: [
    slowBodies(2),
    streams('chunked', 1),
    streams('sse', 1),
    slowBodies(1, 'https'),
    streams('chunked', 1, undefined, 'https'),
  ],
  script: [ready(), probe(), load(), signal('primary'), exited()],
  clauses: ['DLN-1', 'DLN-2', 'DLN-3', 'DLN-7', 'DRN-4', 'CFG-3', 'OBS-3'],
});
