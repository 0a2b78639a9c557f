import { resolve } from 'node:path';
import { formats } from '../../report/index.ts';
import { judgeDirectory, printReport } from '../finish.ts';
import { oneOf } from '../options.ts';

/** `lf-qualify judge RUN_DIR`: the verdicts of a stored run, without an engine. Writes nothing into it. */
export async function judge(
  directory: string,
  options: { readonly format: string; readonly strict?: boolean },
): Promise<number> {
  const format = oneOf('--format', options.format, Object.keys(formats));
  const report = await judgeDirectory(resolve(directory), options.strict);
  printReport(report, format);
  return report.summary.exitCode;
}
