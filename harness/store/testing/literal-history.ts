import type { Header } from '../../model/history.ts';
import type { Observation } from '../../model/observation.ts';
import type { CellRef, Plan } from '../../model/plan.ts';
import { cellPath } from '../cell-path.ts';

export function cellRef(more: Partial<CellRef> = {}): CellRef {
  const cell = {
    engine: 'docker',
    image: 'lf-qualify/reference:dev',
    scenario: 'signal/idle',
    title: 'a signal with nothing in flight',
    values: { signal: 'TERM' },
    cell: 'signal=TERM',
    clauses: ['SIG-1'],
    repeat: 1,
    sample: 1,
    lane: 'shared',
    ...more,
  } as const;
  return { ...cell, path: cellPath(cell), ...more };
}

export function header(cell: CellRef = cellRef()): Header {
  return {
    basis: {
      preset: 'baseline',
      presetOrigin: 'default',
      clauseSet: '1.0.0',
      levels: { 'SIG-1': 'M' },
      required: [],
      terms: {
        gracefulSignals: ['TERM'],
        primarySignal: 'TERM',
        graceMs: null,
        floorMs: 0,
        stopBoundMs: 10_000,
        stopGoalMs: 1000,
        acceptedStatuses: [],
        expiredStatus: null,
        expiredSaidOnStderr: false,
        toleranceMs: 50,
        listenerCloseMs: 100,
        zeroGrace: null,
        afterWorkMs: 1000,
        afterWorkGoalMs: 250,
        serveAfterMs: 0,
        secondTerm: 'never-slower',
        secondInt: 'never-slower',
        livenessInDrain: 'any',

        closeCodes: [1001],
        closeReason: null,
        allowanceMs: 0,
        outerTimeoutMs: 10_000,
        idleWatchMs: 1000,
        patterns: {},
      },
      origins: {},
      waivers: [],
      judgedOn: '2026-08-02',
    },
    format: 1,
    harness: { version: '0.1.0', node: '24.21.0' },
    run: '20260802-101112-abc123',
    cell,
    engine: {
      name: 'docker',
      version: '29.1.0',
      apiVersion: '1.52',
      address: 'unix:///var/run/docker.sock',
      rootless: false,
      local: true,
      clockOffsetMs: 0,
      clockErrorMs: 0,
    },
    image: {
      reference: 'lf-qualify/reference:dev',
      digest: 'sha256:0',
      entrypoint: [],
      command: [],
      user: '',
      stopSignal: { value: 'SIGTERM', origin: 'image' },
      exposedPorts: [],
      labels: {},
      hasHealthcheck: false,
      repoDigests: [],
    },
    ready: { kind: 'tcp', port: 8080, origin: 'EXPOSE 8080' },
    envKeys: [],
    origin: { monotonic: '1', realtime: '2' },
    uncertainty: { hostMs: 1, engineMs: 12 },
  };
}

export const observations: readonly Observation[] = [
  { seq: 1, t: 5, kind: 'log', stream: 'stdout', text: 'hostile \ud800 \u2028 "\n{"kind":"end"}', raw: '\u001b[31m' },
  { kind: 'signal.delivered', signal: 'TERM', purpose: 'script', n: 1, begin: 6, t: 9, seq: 2 },
  { seq: 3, t: -4, kind: 'exit.seen', by: 'pidfd' },
  { seq: 4, t: 20, kind: 'end' },
];

export function plan(cells: readonly CellRef[], instrument: readonly CellRef[] = []): Plan {
  const { basis, image, ready } = header();
  const endpoints = { slow: [], stream: [], sse: [], upload: [], control: [] };
  const nothingBesides = { files: [], volumes: [], outbound: false, dependencies: [] };
  const said = { ready, startTimeoutMs: 1000, endpoints, faults: {}, envKeys: [] };
  const target = { name: 'x', image: 'sha256:0', ...said, ...nothingBesides };
  return {
    format: 1,
    run: '20260802-101112-abc123',
    startedAt: '2026-08-02T10:11:12.000Z',
    harness: { version: '0.1.0', node: '24.21.0' },
    engines: [],
    notJudged: [],
    targets: [{ engine: 'docker', target, facts: image, basis, unexercised: [], cells }],
    instrument,
    strict: false,
  };
}
