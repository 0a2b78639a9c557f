import type { History } from '../../model/history.ts';
import type { CellRef, Plan, PlannedTarget } from '../../model/plan.ts';
import { INSTRUMENT } from '../health.ts';
import { basisOf, exit, history, imageFacts, ready, signal } from './history-builder.ts';
import type { Setting } from './history-builder.ts';

/** Cells and histories of an instrument that works: exit 7, SIGKILL, and a control container `controlMs` after TERM. */
export function instrument(controlMs = 251, killCode = 137): readonly History[] {
  const cell = (scenario: string): Setting => ({ clauses: [], cell: { scenario, image: 'helper', path: scenario } });
  return [
    history(cell(INSTRUMENT.exit7), ...exit(5, 7)),
    history(cell(INSTRUMENT.sigkill), ...signal('KILL'), ...exit(5, killCode)),
    history(cell(INSTRUMENT.control), ready(), ...signal(), ...exit(controlMs, 0)),
  ];
}

/** A plan for one image on docker, with its instrument cells. */
export function plan(cells: readonly CellRef[], setting: Setting = {}, more: Partial<PlannedTarget> = {}): Plan {
  const target: PlannedTarget = {
    engine: 'docker',
    target: {
      name: 'shop:1',
      image: 'sha256:0f',
      ready: { kind: 'http', port: 8080, path: '/health', origin: 'EXPOSE' },
      startTimeoutMs: 30_000,
      files: [],
      volumes: [],
      outbound: false,
      dependencies: [],
      endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
      faults: {},
      envKeys: [],
    },
    facts: imageFacts(setting.image),
    basis: basisOf(setting),
    unexercised: [],
    cells,
    ...more,
  };
  return {
    format: 1,
    run: 'r1',
    startedAt: '2026-12-01T00:00:00Z',
    harness: { version: '0.1.0', node: '24.0.0' },
    engines: [],
    notJudged: [],
    targets: [target],
    instrument: instrument().map((h) => h.header.cell),
    strict: false,
  };
}
