import { earlyProbe, exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'startup/signal-at-ready',
  title: 'a signal at the first ready answer takes effect',
  script: [earlyProbe(), ready(1), signal('primary'), exited()],
  clauses: ['STA-1', 'STA-4'],
});
