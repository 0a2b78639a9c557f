import { exited, ready, scenario, signal } from '../harness/index.ts';

scenario({
  id: 'instrument/control',
  title: 'a known-good container that ends exactly 250 ms after the signal',
  helper: ['exact', '250', '0'],
  script: [ready(), signal('TERM'), exited()],
  clauses: [],
});
