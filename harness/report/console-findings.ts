import type { ReportedTarget } from '../model/report.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Colours } from './colours.ts';
import { terminalText } from './terminal-text.ts';
import {
  decidingFinding,
  evidenceOf,
  formatDisturbed,
  formatLevel,
  formatMeasurement,
  formatSamples,
} from './wording.ts';
import { field, wrap } from './wrap.ts';

interface Block {
  readonly verdicts: Verdict[];
}

/** Observations named on the screen; report.json has all. */
const MOST_EVIDENCE = 8;

/**
 * What needs reading of one image: failures first, then what is inconclusive. Engines that fail a clause alike share a
 * block, and so do inconclusive clauses with one reason. Clauses that are only recorded are left out.
 */
export function findingBlocks(
  targets: readonly ReportedTarget[],
  strict: boolean,
  width: number,
  colours: Colours,
): string[][] {
  const judged = targets.flatMap(({ verdicts }) => verdicts).filter(({ level }) => level === 'M' || level === 'S');
  const failed = grouped(judged, 'fail', ({ clause }) => clause);
  const open = grouped(judged, 'inconclusive', ({ engine, seen }) => `${engine}\n${seen}`);
  return [...failed, ...open].map((block) => lines(block, strict, width, colours));
}

function grouped(
  verdicts: readonly Verdict[],
  outcome: Verdict['outcome'],
  key: (verdict: Verdict) => string,
): Block[] {
  const mine = verdicts.filter((verdict) => verdict.outcome === outcome);
  return [...Map.groupBy(mine, key).values()].map((group) => ({ verdicts: group }));
}

function lines({ verdicts }: Block, strict: boolean, width: number, colours: Colours): string[] {
  const [first] = verdicts;
  if (first === undefined) return [];
  const soft = first.level === 'S' && first.outcome === 'fail' && !strict;
  const word = first.outcome === 'fail' ? (soft ? 'SHOULD FAILED' : 'FAILED') : 'INCONCLUSIVE';
  const paint = first.outcome === 'fail' && !soft ? colours.bad : colours.warn;
  const ids = [...new Set(verdicts.map(({ clause }) => clause))];
  const engines = [...new Set(verdicts.map(({ engine }) => engine))];
  const what = ids.length === 1 ? `${first.clause} ${first.title}` : ids.join(' ');
  const note = soft ? ', does not decide without --strict' : '';
  const title = `${what} · ${first.image} on ${engines.join(' and ')} · ${formatLevel(first.level)}${note}`;
  const [head = '', ...more] = wrap(`${word} ${terminalText(title)}`, width);
  const text = [paint(word) + head.slice(word.length), ...more];
  if (ids.length === 1) {
    text.push(...field('requirement', terminalText(first.requirement), width));
    for (const accepted of first.accepted) text.push(...field('accepted', terminalText(accepted), width));
  }
  for (const verdict of ids.length === 1 ? verdicts : [first]) text.push(...seen(verdict, engines.length > 1, width));
  return text;
}

/** What was seen on one engine, with the measurement, the samples and the first of the histories that show it. */
function seen(verdict: Verdict, named: boolean, width: number): string[] {
  const measured = decidingFinding(verdict)?.measured;
  const limitMs = decidingFinding(verdict)?.limitMs;
  const text = field(named ? verdict.engine : 'seen', terminalText(verdict.seen), width);
  if (measured)
    text.push(
      ...field(
        'measured',
        `${formatMeasurement(measured)}${limitMs === undefined ? '' : `, limit ${limitMs} ms`}`,
        width,
      ),
    );
  const disturbed = formatDisturbed(verdict);
  if (disturbed !== undefined) text.push(...field('disturbed', terminalText(disturbed), width));
  const samples = formatSamples(verdict);
  if (samples !== undefined) text.push(...field('samples', samples, width));
  if (verdict.waiver?.expired)
    text.push(
      ...field('waiver', terminalText(`expired on ${verdict.waiver.expires}: ${verdict.waiver.reason}`), width),
    );
  const [evidence, ...others] = evidenceOf(verdict, MOST_EVIDENCE);
  if (evidence !== undefined)
    text.push(
      ...field('evidence', terminalText(`${evidence}${others.length > 0 ? ` and ${others.length} more` : ''}`), width),
    );
  return text;
}
