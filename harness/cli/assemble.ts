import { CLAUSE_SET } from '../contract/index.ts';
import { effortOf } from '../judge/effort.ts';
import { judgeRun } from '../judge/judge.ts';
import { summarise } from '../judge/summary.ts';
import type { History } from '../model/history.ts';
import type { Plan } from '../model/plan.ts';
import type { Fault, Report, ReportedTarget } from '../model/report.ts';
import { REPORT_FORMAT } from '../model/report.ts';
import type { StoredDependencies } from '../store/dependency-files.ts';
import { oneLine } from '../report/wording.ts';

/** Log lines of one history that go into a report. */
const LOG_LINES = 200;
/** Of one line only so much: the history has the rest. */
const LINE_CHARACTERS = 500;

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
  /** What came up beside the images. */
  readonly dependencies?: readonly StoredDependencies[];
}): Report {
  const { plan, histories, strict } = options;
  const judged = judgeRun(plan, histories);
  const faults = [...options.faults, ...judged.faults];
  const targets = judged.targets.map((target) => ({
    ...target,
    ...dependenciesOf(target, options.dependencies ?? []),
    logs: logsOf(target, histories),
  }));
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

/** Every line says its stream, and is one line: none can pass for a line of ours, nor for one of another stream. */
function dependenciesOf(
  { engine, image }: Pick<ReportedTarget, 'engine' | 'image'>,
  all: readonly StoredDependencies[],
): Pick<ReportedTarget, 'dependencies'> {
  const mine = all.find((entry) => entry.engine === engine && entry.image === image);
  return mine === undefined || mine.dependencies.length === 0 ? {} : { dependencies: mine.dependencies };
}

function logsOf(target: Omit<ReportedTarget, 'logs'>, histories: readonly History[]): Record<string, string> {
  const wanted = new Set(target.verdicts.flatMap(({ findings }) => findings.map(({ history }) => history)));
  const mine = histories.filter(({ header }) => wanted.has(header.cell.path));
  return Object.fromEntries(
    mine.map(({ header, observations }) => {
      const all = observations.filter((seen) => seen.kind === 'log').toSorted((a, b) => a.t - b.t || a.seq - b.seq);
      const lines = all.slice(-LOG_LINES).map(({ stream, text }) => `${stream}: ${shortened(oneLine(text))}`);
      return [header.cell.path, lines.join('\n')];
    }),
  );
}

function shortened(text: string): string {
  const more = text.length - LINE_CHARACTERS;
  return more > 0 ? `${text.slice(0, LINE_CHARACTERS)} and ${more} more characters` : text;
}
