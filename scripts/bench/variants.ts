import { join } from 'node:path';
import { variantSubjects } from '../../images/variant-subjects.ts';
import { variants } from '../../images/variants/variants.ts';
import { qualifyMany } from '../qualify-many.ts';

const REPEAT = 10;
const faults = new Set(variants.map(({ fault }) => fault));
const ENGINES = ['docker', 'podman'] as const;

/** Every one-fault variant again and again: how often its clause fails it, on each engine. */
export async function benchVariants(folder: string): Promise<string[]> {
  const report = await qualifyMany({
    subjects: (scenarios) => variantSubjects(scenarios).filter(({ name }) => faults.has(name ?? '')),
    engines: ENGINES,
    jobs: 4,
    repeat: REPEAT,
    out: join(folder, 'variants'),
  });
  return variants.flatMap(({ fault, clauses }) =>
    clauses.map((clause) => {
      const each = ENGINES.map((engine) => {
        const target = report.targets.find((one) => one.engine === engine && one.image === fault);
        const verdict = target?.verdicts.find((one) => one.clause === clause);
        const repeats = new Map<string, string[]>();
        for (const finding of verdict?.findings ?? []) {
          const repeat = /\/r(\d+)-s\d+$/.exec(finding.history)?.[1] ?? '';
          repeats.set(repeat, [...(repeats.get(repeat) ?? []), finding.outcome]);
        }
        const failing = [...repeats.values()].filter((outcomes) => outcomes.includes('fail')).length;
        return `${engine} ${failing} of ${repeats.size}`;
      });
      return `${fault.padEnd(28)} ${clause.padEnd(12)} ${each.join('   ')}`;
    }),
  );
}
