import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'image/engine-init',
  title: 'the same stop with the engine’s own init in front, as a differential',
  needs: ['init'],
  matrix: { init: ['engine'] },
  setting: { init: true },
  script: [ready(), signal('primary'), exited()],
  clauses: ['IMG-4-init', 'IMG-5-init'],
});
