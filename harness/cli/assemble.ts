import { CLAUSE_SET } from '../contract/index.ts';
import { effortOf } from '../judge/effort.ts';
import { judgeRun } from '../judge/judge.ts';
import { summarise } from '../judge/summary.ts';
import type { History } from '../model/history.ts';
import type { Plan } from '../model/plan.ts';
import type { Fault, Report, ReportedTarget } from '../model/report.ts';
import { REPORT_FORMAT } from '../model/report.ts';

/** Log lines of one history that go into a report. */
const LOG_LINES = 200;

/**
 * Plan and histories -> finished report. The live run and `lf-qualify judge` both come through here, so that they
 * cannot differ. `faults` are those that only the live run knows (engines lost outside of a history, interruption).
 */
export function assembleReport(options: {
  readonly plan: Plan;
  readonly histories: readonly History[];
  readonly faults: readonly Fault[];
  readonly strict: boolean;
  readonly directory: string;
}): Report {
  const { plan, histories, strict } = options;
  const judged = judgeRun(plan, histories);
  const faults = [...options.faults, ...judged.faults];
  const targets = judged.targets.map((target) => ({ ...target, logs: logsOf(target, histories) }));
  return {
    format: REPORT_FORMAT,
    run: plan.run,
    startedAt: plan.startedAt,
    harness: plan.harness,
    clauseSet: CLAUSE_SET,
    strict,
    engines: plan.engines,
    notJudged: plan.notJudged,
    health: judged.health,
    targets,
    faults,
    summary: summarise({ targets, faults, strict }),
    effort: effortOf(plan, histories),
    directory: options.directory,
    presets: [...new Set(targets.map(({ basis }) => basis.preset))],
  };
}

function logsOf(target: Omit<ReportedTarget, 'logs'>, histories: readonly History[]): Record<string, string> {
  const wanted = new Set(target.verdicts.flatMap(({ findings }) => findings.map(({ history }) => history)));
  const mine = histories.filter(({ header }) => wanted.has(header.cell.path));
  return Object.fromEntries(
    mine.map(({ header, observations }) => {
      const lines = observations
        .filter((seen) => seen.kind === 'log')
        .map(({ stream, text }) => (stream === 'stderr' ? `stderr: ${text}` : text));
      return [header.cell.path, lines.slice(-LOG_LINES).join('\n')];
    }),
  );
}
