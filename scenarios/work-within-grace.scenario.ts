import {
  exited,
  finish,
  hold,
  load,
  probe,
  ready,
  scenario,
  signal,
  slowAnswers,
  slowBodies,
  streams,
  uploads,
  warmSlowBodies,
} from '../harness/index.ts';

scenario({
  id: 'drain/work-within-grace',
  title: 'work that is shorter than the grace completes',
  needs: ['http'],
  // 500ms where no grace is declared
  matrix: { at: ['500ms', 'grace/4', 'grace/2', 'grace - 200ms'] },
  load: [
    slowBodies(4),
    warmSlowBodies(1),
    uploads(2),
    streams('chunked', 1, 'longWork'),
    streams('sse', 1, 'longWork'),
    slowAnswers(2, 'longWork'),
    slowBodies(1, 'https'),
    uploads(1, 'https'),
    streams('chunked', 1, 'longWork', 'https'),
    slowAnswers(1, 'longWork', 'https'),
  ],
  script: [ready(), probe(), load(), signal('primary'), hold('$at'), finish(), exited()],
  clauses: ['SIG-8', 'DRN-1', 'DRN-3', 'DRN-4', 'DRN-8', 'DRN-9', 'DRN-9-fast', 'DLN-7', 'OBS-3'],
});
