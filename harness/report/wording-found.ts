import type { Assumption, Discovery, ServerFact } from '../model/discovery.ts';
import type { ReportedTarget } from '../model/report.ts';

/** `port 8080: the only port that answers HTTP`. */
export function formatAssumption({ key, value, why }: Assumption): string {
  return `${key} ${formatValue(key, value)}: ${why}`;
}

/** `nginx: SIGTERM is its fast shutdown …; SIGQUIT is its graceful one … (nginx documentation: Controlling nginx)`. */
export function formatServer({ title, says, documentation }: ServerFact): string {
  return `${title}: ${says} (${documentation})`;
}

/** What could not be looked at, and that it ended before it could be; undefined where all was seen. */
export function formatLook({ ended, gaps }: Discovery): string | undefined {
  const status = ended?.exitCode === undefined ? '' : ` with exit status ${ended.exitCode}`;
  const end = ended && `it ended by itself${status}, so that nothing could be found${lastOf(ended.lastLines)}`;
  const all = [...(end === undefined ? [] : [end]), ...gaps];
  return all.length === 0 ? undefined : all.join('; ');
}

/** What is the same on each engine has no engine's name. */
export function byEngine(
  targets: readonly ReportedTarget[],
  linesOf: (target: ReportedTarget) => readonly string[],
): readonly string[] {
  const each = targets.map((target) => ({ engine: target.engine, lines: linesOf(target) }));
  const everywhere = each.every(({ lines }) => lines.join('\n') === each[0]?.lines.join('\n'));
  if (everywhere) return each[0]?.lines ?? [];
  return each.flatMap(({ engine, lines }) => lines.map((line) => `${engine}: ${line}`));
}

function lastOf(lines: readonly string[]): string {
  const line = lines.at(-1);
  return line === undefined ? '' : `; its last line: ${line}`;
}

/** As a profile would say it, in few words: of accepted statuses only the numbers. */
function formatValue(key: string, value: unknown): string {
  if (key === 'accept' && Array.isArray(value)) return value.map(({ status }) => String(status)).join(', ');
  return flow(value);
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return value.map(flow).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key} ${flow(inner)}`)
    .join(' ');
}
