import type { Report } from '../model/report.ts';
import type { Case } from './junit-case.ts';
import { oneLine } from './wording.ts';

/**
 * The cases of the suite `lf-qualify`: what is said about the instrument rather than an image. Self-tests and faults,
 * engines that were not judged, and the verdict of the run, which is red where the exit code is not 0 and no other case
 * says so (a required clause that was not exercised, nothing judged).
 */
export function instrumentCases(report: Report, redElsewhere: boolean): readonly Case[] {
  const cases: Case[] = [];
  for (const { engine, selfTest, control } of report.health) {
    const seen = `self-test on ${engine}: ${oneLine(selfTest.seen)}`;
    const measured =
      control && `control container: ${control.expectedMs} ms expected, ${control.measuredMs} ms measured`;
    const output = measured === undefined ? seen : `${seen}\n${measured}`;
    const judgedBroken = !selfTest.ok && report.summary.exitCode !== 0;
    cases.push({
      classname: `lf-qualify.${engine}`,
      name: 'self-test reads exit 7 as 7 and a SIGKILL as 137',
      outcome: selfTest.ok ? 'passed' : judgedBroken ? 'error' : 'skipped',
      ...(!selfTest.ok && { message: `nothing is judged on ${engine}: ${oneLine(selfTest.seen)}` }),
      output,
    });
  }
  for (const fault of report.faults) {
    const where = fault.engine === undefined ? fault.where : `${fault.where} ${fault.engine}`;
    cases.push({
      classname: `lf-qualify.${fault.engine ?? 'run'}`,
      name: `fault: ${where}`,
      outcome: 'error',
      message: oneLine(fault.message),
      body: fault.history === undefined ? fault.message : `${fault.message}\nevidence: ${fault.history}`,
    });
  }
  const engines = new Set(report.notJudged.map(({ engine }) => engine));
  for (const engine of engines) {
    const tried = report.notJudged
      .filter((candidate) => candidate.engine === engine)
      .map(({ address, origin, failure }) => oneLine(`${address} (${origin}): ${failure ?? 'answered'}`));
    cases.push({
      classname: `lf-qualify.${engine}`,
      name: `engine ${engine}`,
      outcome: 'skipped',
      message: `not judged: ${tried.join('; ')}`,
    });
  }
  const red = redElsewhere || cases.some(({ outcome }) => outcome === 'error');
  const reasons = report.summary.reasons.join('\n');
  const text = `${report.summary.outcome}, exit code ${report.summary.exitCode}`;
  const alone = report.summary.exitCode !== 0 && !red;
  cases.push({
    classname: 'lf-qualify.run',
    name: 'verdict of the run',
    outcome: alone ? 'error' : 'passed',
    ...(alone && { message: text, body: reasons }),
    output: `${text}\n${reasons}`,
  });
  return cases;
}
