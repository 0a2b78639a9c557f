import type { SpanMs, SweepStep, SweepSummary } from '../model/report.ts';

/**
 * `STA-9 by offset: lost at 212..240 ms and before, heard from 251..268 ms on (startup/sweep, 3 cells added)`. Spans are
 * what was achieved; of more than two outcomes in a row each says from where to where.
 */
export function formatSweep(sweep: SweepSummary): string {
  return `${sweep.clause} by ${sweep.column}: ${formatBrackets(sweep)} (${nameOfSweep(sweep)})`;
}

/** `lost at 212..240 ms and before, heard from 251..268 ms on`. */
export function formatBrackets({ steps }: Pick<SweepSummary, 'steps'>): string {
  const alike = inARow(steps);
  return alike
    .map((row, index) => {
      const [first] = row;
      const last = row.at(-1);
      if (first === undefined || last === undefined) return '';
      if (index === 0) return `${first.shows} at ${span(last.at)} and before`;
      if (index === alike.length - 1) return `${first.shows} from ${span(first.at)} on`;
      if (first === last) return `${first.shows} at ${span(first.at)}`;
      return `${first.shows} from ${span(first.at)} to ${span(last.at)}`;
    })
    .join(', ');
}

function nameOfSweep({ scenario, others, steps }: SweepSummary): string {
  const added = steps.filter((step) => step.added).length;
  const more = added === 0 ? '' : `, ${added} ${added === 1 ? 'cell' : 'cells'} added`;
  return `${scenario}${others === '-' ? '' : ` ${others}`}${more}`;
}

function inARow(steps: readonly SweepStep[]): readonly (readonly SweepStep[])[] {
  const rows: SweepStep[][] = [];
  for (const step of steps) {
    const row = rows.at(-1);
    if (row?.[0]?.shows === step.shows) row.push(step);
    else rows.push([step]);
  }
  return rows;
}

function span({ fromMs, toMs }: SpanMs): string {
  const [from, to] = [Math.floor(fromMs), Math.ceil(toMs)];
  return from === to ? `${to} ms` : `${from}..${to} ms`;
}
