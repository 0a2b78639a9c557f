import { exited, scenario, settle, signal, starting } from '../harness/index.ts';

scenario({
  id: 'startup/sweep',
  title: 'a signal at several offsets from the start of the container, ready or not',
  matrix: { offset: ['0ms', '150ms', '600ms', '1500ms'] },
  sweep: { column: 'offset', to: '25ms' },
  script: [starting('$offset'), signal('primary'), settle('1s'), signal('primary'), exited('3s')],
  clauses: ['STA-9', 'STA-2'],
});
