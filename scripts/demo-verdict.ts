import type { Report } from '../harness/model/report.ts';

/** What `npm run demo` expects of its two images on every engine that judged. */
export const good = 'lf-qualify/reference:dev';
export const broken = 'lf-qualify/shell-pid1:dev';

type Read = Pick<Report, 'targets' | 'faults'>;

/** Why the demonstration did not end as it should, one sentence each; empty: it did. */
export function surprises(report: Read): readonly string[] {
  const found: string[] = report.faults.map(({ where, message }) => `${where} fault: ${message}`);
  for (const image of [good, broken]) {
    const targets = report.targets.filter((target) => target.image === image);
    if (targets.length === 0) found.push(`${image} was not judged`);
    for (const { engine, verdicts } of targets) {
      const must = verdicts.filter(({ level }) => level === 'M');
      const failed = must.filter(({ outcome }) => outcome === 'fail').map(({ clause }) => clause);
      const open = must.filter(({ outcome }) => outcome === 'inconclusive').map(({ clause }) => clause);
      const passed = must.some(({ outcome }) => outcome === 'pass');
      if (image === broken && failed.length === 0) found.push(`${image} on ${engine} failed no MUST clause`);
      if (image === good && failed.length > 0) found.push(`${image} on ${engine} failed ${failed.join(', ')}`);
      if (image === good && open.length > 0) found.push(`${image} on ${engine} is inconclusive in ${open.join(', ')}`);
      if (image === good && !passed) found.push(`${image} on ${engine} passed no MUST clause`);
    }
  }
  return found;
}
