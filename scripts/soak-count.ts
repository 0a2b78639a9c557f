import type { Report } from '../harness/model/report.ts';
import type { Outcome } from '../harness/model/verdict.ts';

/** What one clause came to on one image and engine over all runs. */
export interface SoakRow {
  readonly image: string;
  readonly engine: string;
  readonly clause: string;
  readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  /** Verdicts that contradict the image's expected.yaml; an inconclusive one contradicts nothing. */
  readonly wrong: number;
}

/** What is expected of a clause; undefined where the image says nothing of it. */
export type Expectation = (image: string, engine: string, clause: string) => string | undefined;

/** One row a clause that was ever exercised, in the order of the reports. */
export function countSoak(reports: readonly Report[], expected: Expectation): readonly SoakRow[] {
  const verdicts = reports.flatMap(({ targets }) => targets.flatMap((target) => target.verdicts));
  const groups = Map.groupBy(verdicts, ({ image, engine, clause }) => JSON.stringify([image, engine, clause]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.every(({ outcome }) => outcome === 'not exercised')) return [];
    const { image, engine, clause } = first;
    const counts: Partial<Record<Outcome, number>> = {};
    for (const { outcome } of group) counts[outcome] = (counts[outcome] ?? 0) + 1;
    const right = expected(image, engine, clause);
    const wrong = group.filter(({ outcome }) => right !== undefined && outcome !== 'inconclusive' && outcome !== right);
    return [{ image, engine, clause, counts, wrong: wrong.length }];
  });
}

/** Inconclusive verdicts over all that were exercised, 0 to 1. */
export function inconclusiveRate(rows: readonly SoakRow[]): number {
  const sum = (of: (counts: SoakRow['counts']) => number): number =>
    rows.reduce((total, { counts }) => total + of(counts), 0);
  const exercised = sum(({ pass = 0, fail = 0, inconclusive = 0 }) => pass + fail + inconclusive);
  return exercised === 0 ? 0 : sum(({ inconclusive = 0 }) => inconclusive) / exercised;
}

/** The table, and a last line that says it all. Rows that passed in every run are only counted. */
export function soakTable(rows: readonly SoakRow[], runs: number): readonly string[] {
  const steady = rows.filter(({ counts, wrong }) => wrong === 0 && (counts.pass ?? 0) === runs);
  const shown = rows.filter((row) => !steady.includes(row));
  const lines = shown.map(({ image, engine, clause, counts, wrong }) => {
    const { pass = 0, fail = 0, inconclusive = 0 } = counts;
    return `${image} ${engine} ${clause}: pass ${pass}, fail ${fail}, inconclusive ${inconclusive}, wrong ${wrong}`;
  });
  const wrong = rows.reduce((sum, row) => sum + row.wrong, 0);
  const percent = (100 * inconclusiveRate(rows)).toFixed(1);
  return [...lines, `${steady.length} passed in all ${runs} runs; ${wrong} wrong verdicts; ${percent} % inconclusive`];
}
