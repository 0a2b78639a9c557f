import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'signal/no-load',
  title: 'a signal with nothing in flight ends the service at once',
  matrix: { signal: ['primary', 'TERM', 'INT', 'HUP'] },
  script: [ready(), signal('$signal'), exited()],
  clauses: [
    'IMG-1',
    'IMG-2',
    'IMG-3',
    'IMG-4',
    'IMG-6',
    'SIG-1',
    'SIG-1-fast',
    'SIG-2',
    'SIG-2-fast',
    'SIG-3',
    'SIG-3-fast',
    'SIG-4',
    'OBS-3',
    'OBS-4',
  ],
});
