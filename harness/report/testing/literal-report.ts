import type { JudgementBasis, Level } from '../../model/clause.ts';
import type { EngineFacts, ImageFacts } from '../../model/engine.ts';
import type { ComparedStop, Report, ReportedTarget, Summary, WindowSummary } from '../../model/report.ts';
import type { CellFinding, Outcome, Verdict } from '../../model/verdict.ts';

/** Text that an image could print to break a report: terminal, XML, workflow commands, invalid characters. */
export const hostile =
  'a\u0000b\u001b[31mred\u001b[0m \u001b]0;title\u0007 ]]> <b a="1">&amp; \ud800 \uffff \u202eevil\r\n::error::x ##[error]y';

const docker: EngineFacts = {
  name: 'docker',
  version: '29.1.0',
  apiVersion: '1.52',
  address: 'unix:///var/run/docker.sock',
  rootless: false,
  local: true,
  clockOffsetMs: 0,
  clockErrorMs: 0,
};

const facts: ImageFacts = {
  reference: 'example/service:1',
  digest: `sha256:${'ab'.repeat(32)}`,
  entrypoint: ['/service'],
  command: [],
  user: '',
  stopSignal: { value: 'SIGTERM', origin: 'engine default' },
  exposedPorts: [8080],
  labels: {},
  hasHealthcheck: false,
  repoDigests: [],
};

const basis: JudgementBasis = {
  preset: 'light-fabric',
  presetOrigin: 'profile',
  clauseSet: '1.0.0',
  levels: { 'SIG-1': 'M' },
  required: ['SIG-1'],
  terms: {
    gracefulSignals: ['TERM', 'INT'],
    primarySignal: 'TERM',
    graceMs: 2000,
    floorMs: 250,
    stopBoundMs: 1000,
    stopGoalMs: 1000,
    acceptedStatuses: [{ status: 0, reason: 'graceful' }],
    expiredStatus: 1,
    expiredSaidOnStderr: true,
    toleranceMs: 50,
    listenerCloseMs: 100,
    zeroGrace: 'warn',
    afterWorkMs: 1000,
    afterWorkGoalMs: 250,
    serveAfterMs: 0,
    secondTerm: 'never-slower',
    secondInt: 'never-slower',
    livenessInDrain: 'any',
    closeCodes: [1001],
    closeReason: null,
    allowanceMs: 1000,
    outerTimeoutMs: 10_000,
    idleWatchMs: 3250,
    patterns: {},
  },
  origins: { graceMs: 'profile' },
  waivers: [],
  judgedOn: '2026-08-02',
};

export function finding(outcome: CellFinding['outcome'], more: Partial<CellFinding> = {}): CellFinding {
  return {
    outcome,
    seen: 'ended by itself with exit 0',
    accepted: ['exit 0 within 1000 ms'],
    evidence: [12, 14],
    measured: { valueMs: 31.24, lowMs: 31, highMs: 31.5, by: 'host' },
    limitMs: 1000,
    cell: 'signal=TERM',
    history: 'cells/docker/example__service+1/signal__idle/signal=TERM/r1-s1',
    lane: 'alone',
    ...more,
  };
}

export function verdict(clause: string, outcome: Outcome, level: Level = 'M', more: Partial<Verdict> = {}): Verdict {
  return {
    engine: 'docker',
    image: 'example/service:1',
    clause,
    title: 'a signal with nothing in flight ends the service',
    requirement: 'SIGTERM with nothing in flight ends the service as the preset says',
    level,
    required: false,
    outcome,
    seen: 'ended by itself with exit 0',
    accepted: ['exit 0 within 1000 ms'],
    findings: outcome === 'not exercised' || outcome === 'waived' ? [] : [finding(outcome)],
    failing: outcome === 'fail' ? 1 : 0,
    samples: 1,
    ...more,
  };
}

/** What the admission probe saw of a service that does as light-fabric says, with one connection reset in a race. */
export function windowSummary(more: Partial<WindowSummary> = {}): WindowSummary {
  return {
    scenario: 'window/acknowledged',
    cell: '-',
    repeat: 1,
    lane: 'shared',
    history: 'cells/docker/example__service+1/window__acknowledged/-/r1-s1',
    kept: 48,
    everyMs: 5,
    longestGapMs: 6.1,
    normal: 200,
    outcomes: {
      new: { answered: 70, refused: 5, reset: 3, hung: 0, races: 0 },
      kept: { answered: 40, refused: 0, reset: 1, hung: 0, races: 1 },
    },
    withdrawn: 2,
    times: {
      signal: { fromMs: -1.9, toMs: 0 },
      lastServed: { fromMs: -2.61, toMs: -1.98 },
      gateClosed: { fromMs: -1.2, toMs: 2.3 },
      first503: { fromMs: 1.8, toMs: 2.3 },
      last503: { fromMs: 401, toMs: 402.04 },
      acknowledged: { fromMs: 400.1, toMs: 400.1 },
      firstRefused: { fromMs: 405, toMs: 405.5 },
      listenerClosed: { fromMs: 400.4, toMs: 405.5 },
    },
    boundariesWithinMs: 5.1,
    ...more,
  };
}

/** A stop that took so long and ended with 0. */
export function comparedStop(
  how: ComparedStop['how'],
  valueMs: number,
  more: Partial<ComparedStop> = {},
): ComparedStop {
  return {
    scenario: 'signal/no-load',
    cell: 'signal=TERM',
    repeat: 1,
    lane: 'shared',
    history: `cells/docker/example__service+1/${how}/r1-s1`,
    how,
    signal: 'TERM',
    measured: { valueMs, lowMs: valueMs - 1, highMs: valueMs + 1, by: 'host' },
    from: 'signal',
    end: 'exit',
    exitCode: 0,
    ...more,
  };
}

export function target(verdicts: readonly Verdict[], more: Partial<ReportedTarget> = {}): ReportedTarget {
  return {
    engine: 'docker',
    image: 'example/service:1',
    facts,
    ready: { kind: 'http', port: 8080, path: '/health', origin: 'profile' },
    basis,
    verdicts,
    logs: { 'cells/docker/example__service+1/signal__idle/signal=TERM/r1-s1': 'listening\nshutdown signal received' },
    ...more,
  };
}

/** A finished report over these targets. `exitCode` is the caller's: renderers never compute it. */
export function report(
  targets: readonly ReportedTarget[],
  exitCode: number,
  more: Partial<Omit<Report, 'summary'>> & { readonly summary?: Partial<Summary> } = {},
): Report {
  const { summary, ...rest } = more;
  const outcomes = ['qualified', 'not qualified', 'inconclusive', 'nothing judged'] as const;
  return {
    format: 1,
    run: '20260802-101112-abc123',
    startedAt: '2026-08-02T10:11:12.000Z',
    harness: { version: '0.1.0', node: '24.21.0' },
    clauseSet: '1.0.0',
    strict: false,
    engines: [docker],
    notJudged: [],
    health: [{ engine: 'docker', selfTest: { ok: true, seen: '7, 137' } }],
    targets,
    faults: [],
    summary: {
      outcome: outcomes[exitCode] ?? 'fault',
      exitCode,
      counts: { pass: 0, fail: 0, inconclusive: 0, 'not exercised': 0, waived: 0 },
      mustExercised: 12,
      mustTotal: 13,
      inconclusiveRate: 0,
      reasons: [],
      ...summary,
    },
    effort: { durationMs: 61_500, engines: [{ engine: 'docker', containers: 21, repeated: 2 }] },
    directory: 'reports/20260802-101112-abc123',
    presets: ['light-fabric'],
    ...rest,
  };
}
