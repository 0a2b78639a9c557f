import { relative } from 'node:path';
import chalk from 'chalk';
import { EXIT } from '../judge/exit-codes.ts';
import type { History } from '../model/history.ts';
import type { Fault, Report } from '../model/report.ts';
import type { Colours } from '../report/colours.ts';
import { renderConsole } from '../report/console.ts';
import type { Renderer } from '../report/index.ts';
import { formats } from '../report/index.ts';
import { terminalText } from '../report/terminal-text.ts';
import { readDependencies } from '../store/dependency-files.ts';
import { readFaults } from '../store/faults-file.ts';
import { readRun } from '../store/read-run.ts';
import { RunDirectory } from '../store/run-directory.ts';
import { assembleReport } from './assemble.ts';

const colours: Colours = {
  good: (text) => chalk.green(text),
  bad: (text) => chalk.red(text),
  warn: (text) => chalk.yellow(text),
  dim: (text) => chalk.dim(text),
  bold: (text) => chalk.bold(text),
};

/** Judge a run directory as it lies on disk. Histories that are missing or broken are faults; those of an interrupted run are only missing. */
export async function judgeDirectory(path: string, strict?: boolean): Promise<Report> {
  const { plan, histories } = await readRun(path);
  const live = await readFaults(path);
  const readable = [...histories.values()].filter((entry): entry is History => !(entry instanceof Error));
  const broken = [...histories].flatMap(([history, entry]): Fault[] =>
    entry instanceof Error && live.length === 0 ? [{ where: 'harness', message: entry.message, history }] : [],
  );
  const shown = relative(process.cwd(), path);
  return assembleReport({
    plan,
    histories: readable,
    faults: [...live, ...broken],
    strict: strict ?? plan.strict,
    dependencies: await readDependencies(path),
    directory: shown === '' || shown.startsWith('..') ? path : shown,
  });
}

/** Judge, write every report format into the run directory, and print the one that was asked for. Gives the exit code. */
export async function finishRun(
  path: string,
  format: string,
  renderers: Readonly<Record<string, Renderer>> = formats,
): Promise<number> {
  const report = await judgeDirectory(path);
  const directory = new RunDirectory(path);
  const broken: string[] = [];
  for (const { name, file, render } of Object.values(renderers)) {
    try {
      await directory.writeReport(file, render(report));
    } catch (error) {
      // One format that breaks must not cost the others.
      broken.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  for (const line of broken) process.stderr.write(`lf-qualify: a report could not be written: ${terminalText(line)}\n`);
  printReport(report, format);
  return broken.length > 0 ? EXIT.fault : report.summary.exitCode;
}

/** One format to stdout and nothing else there: progress and problems go to stderr. */
export function printReport(report: Report, format: string): void {
  const text =
    format === 'console'
      ? renderConsole(report, {
          colours,
          ...(process.stdout.columns === undefined ? {} : { width: process.stdout.columns }),
        })
      : formats[format]?.render(report);
  process.stdout.write(text?.endsWith('\n') ? text : `${text}\n`);
}
