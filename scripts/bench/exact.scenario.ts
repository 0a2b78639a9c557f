import { exited, ready, scenario, signal } from '../../harness/index.ts';

/** Exits around the 1 s limit, and far from it: the truth that stop durations are measured against. */
for (const afterMs of [0, 50, 250, 950, 990, 1010, 1050]) {
  scenario({
    id: `bench/exact-${afterMs}`,
    title: `a container that ends exactly ${afterMs} ms after the signal`,
    helper: ['exact', String(afterMs), '0'],
    script: [ready(), signal('TERM'), exited()],
    clauses: ['SIG-1'],
  });
}
