import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { judgeHistory } from '../../harness/judge/judge-history.ts';
import { readRun } from '../../harness/store/read-run.ts';
import { judgeDirectory } from '../../harness/cli/finish.ts';
import type { Report } from '../../harness/model/report.ts';
import { product, reference } from './product.ts';
import { spread } from './statistics.ts';

const QUIET_RUNS = 10;
const LOADED_RUNS = 3;
/** Processes that do nothing but count, beside the run: a load of 4. */
const BURNERS = 4;

/**
 * The reference image again and again: what it costs, what is inconclusive or repeated, whether verdicts depend on how
 * many cells run side by side, and what a load of 4 does to them.
 */
export async function benchQualification(folder: string): Promise<string[]> {
  const lines: string[] = [];
  const reports: Report[] = [];
  for (let run = 1; run <= QUIET_RUNS; run += 1) {
    const report = await qualify(join(folder, `quiet-${run}`));
    reports.push(report);
    lines.push(`quiet ${run}: ${inWords(report)}`);
  }
  const serial = await qualify(join(folder, 'serial'), '--jobs', '1');
  const differing = differences(serial, reports[0]);
  lines.push(`alone (--jobs 1): boundaries of the windows known to ${spread(boundaries(serial))} ms`);
  lines.push(`--jobs 1: ${inWords(serial)}; verdicts that differ from the default: ${differing.join(', ') || 'none'}`);
  const burners = Array.from({ length: BURNERS }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    for (let run = 1; run <= LOADED_RUNS; run += 1) {
      const out = join(folder, `loaded-${run}`);
      const report = await qualify(out);
      lines.push(`load ${BURNERS}, ${run}: ${inWords(report)}; ${await undecided(report, join(out, 'latest'))}`);
    }
  } finally {
    await Promise.all(burners.map(ended));
  }
  return lines;
}

async function qualify(out: string, ...options: readonly string[]): Promise<Report> {
  await product(reference, '--out', out, ...options);
  return await judgeDirectory(join(out, 'latest'));
}

/** How well the two boundaries of each window are known, where they are asked for every 5 ms. */
function boundaries({ targets }: Report): number[] {
  const windows = targets.flatMap((target) => target.windows ?? []).filter(({ everyMs }) => everyMs === 5);
  return windows.flatMap(({ boundariesWithinMs }) => boundariesWithinMs ?? []);
}

function inWords({ summary, effort, targets }: Report): string {
  const { counts, exitCode, mustExercised, mustTotal } = summary;
  const containers = effort.engines.map(
    ({ engine, containers: made, repeated }) => `${engine} ${made} containers, ${repeated} of them repeated`,
  );
  const gaps = targets.flatMap((target) => target.windows ?? []).flatMap(({ longestGapMs }) => longestGapMs ?? []);
  const failed = targets.flatMap(({ verdicts }) => verdicts.filter(({ outcome }) => outcome === 'fail'));
  return [
    `exit ${exitCode}, MUST ${mustExercised}/${mustTotal}`,
    `${counts.inconclusive} inconclusive`,
    `${failed.length} failed${failed.map(({ clause, engine }) => ` ${clause} ${engine}`).join('')}`,
    `${(effort.durationMs / 1000).toFixed(0)} s`,
    ...containers,
    `longest gap of a probe ${Math.max(0, ...gaps).toFixed(1)} ms`,
  ].join(', ');
}

/** The share of inconclusive verdicts, and those that have nothing to do with time. */
async function undecided({ summary, targets }: Report, directory: string): Promise<string> {
  const open = targets.flatMap(({ verdicts }) => verdicts.filter(({ outcome }) => outcome === 'inconclusive'));
  const { histories } = await readRun(directory);
  const timeless = new Set<string>();
  for (const history of histories.values()) {
    if (history instanceof Error) continue;
    for (const { clause, finding } of judgeHistory(history)) {
      const counts = open.some((verdict) => verdict.clause === clause && verdict.engine === history.header.cell.engine);
      if (counts && finding.outcome === 'inconclusive' && finding.timing !== true)
        timeless.add(`${clause}: ${finding.seen}`);
    }
  }
  const percent = (100 * summary.inconclusiveRate).toFixed(1);
  return `${percent} % inconclusive (${open.map(({ clause }) => clause).join(' ') || 'none'}), not by time: ${[...timeless].join('; ') || 'none'}`;
}

function differences(one: Report, other: Report | undefined): string[] {
  const verdicts = (report: Report): string[] =>
    report.targets.flatMap((target) =>
      target.verdicts.map(({ engine, clause, outcome }) => `${engine} ${clause} ${outcome}`),
    );
  const known = new Set(other === undefined ? [] : verdicts(other));
  return verdicts(one).filter((verdict) => !known.has(verdict));
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
