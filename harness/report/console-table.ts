import Table from 'cli-table3';
import type { ReportedTarget } from '../model/report.ts';
import type { Outcome, Verdict } from '../model/verdict.ts';
import type { Colours } from './colours.ts';
import { terminalText } from './terminal-text.ts';
import { decidingFinding, formatMs } from './wording.ts';

const borderless = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
};
const clauseWidth = 10;
const levelWidth = 2;
const engineWidth = 20;

/** One image: a row per clause, a column per engine. More engines than fit the width make further tables below. */
export function clauseTable(targets: readonly ReportedTarget[], width: number, colours: Colours): string[] {
  const spare = width - clauseWidth - levelWidth - 20;
  const perTable = Math.max(1, Math.floor(spare / (engineWidth + 1)));
  const lines: string[] = [];
  for (let from = 0; from < targets.length; from += perTable) {
    if (from > 0) lines.push('');
    lines.push(...oneTable(targets.slice(from, from + perTable), width, colours));
  }
  return lines;
}

function oneTable(targets: readonly ReportedTarget[], width: number, colours: Colours): string[] {
  const titleWidth = width - clauseWidth - levelWidth - 2 - targets.length * (engineWidth + 1);
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: [clauseWidth, levelWidth, titleWidth, ...targets.map(() => engineWidth)],
    head: ['clause', '', '', ...targets.map(({ engine }) => terminalText(engine))],
  });
  const clauses = new Map<string, Verdict>();
  for (const { verdicts } of targets) {
    for (const verdict of verdicts) if (!clauses.has(verdict.clause)) clauses.set(verdict.clause, verdict);
  }
  for (const [clause, { level, title }] of clauses) {
    const cells = targets.map(({ verdicts }) =>
      cell(
        verdicts.find((verdict) => verdict.clause === clause),
        colours,
      ),
    );
    table.push([terminalText(clause), level, terminalText(title), ...cells]);
  }
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

const words: Readonly<Record<Outcome, string>> = {
  pass: 'pass',
  fail: 'FAIL',
  inconclusive: 'inconclusive',
  'not exercised': 'not exercised',
  waived: 'waived',
};

function cell(verdict: Verdict | undefined, colours: Colours): string {
  if (verdict === undefined) return '-';
  const measured = decidingFinding(verdict)?.measured;
  const soft = verdict.level !== 'M';
  const paint = {
    pass: colours.good,
    fail: soft ? colours.warn : colours.bad,
    inconclusive: colours.warn,
    'not exercised': colours.dim,
    waived: colours.warn,
  }[verdict.outcome];
  const number = measured === undefined || verdict.outcome === 'not exercised' ? '' : ` ${formatMs(measured.valueMs)}`;
  const fits = words[verdict.outcome].length + number.length <= engineWidth;
  return paint(words[verdict.outcome]) + (fits ? number : '');
}
