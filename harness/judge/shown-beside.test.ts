import { describe, expect, it } from 'vitest';
import type { TlsAccess } from '../model/target.ts';
import { judgeRun } from './judge.ts';
import { cellOf, exit, history, ready, signal } from './testing/history-builder.ts';
import type { Setting } from './testing/history-builder.ts';
import { instrument, plan } from './testing/plan-builder.ts';
import { probeStarted, served, turnedAway } from './testing/window-builder.ts';

const cells: readonly Setting[] = ['window/acknowledged', 'signal/no-load', 'image/engine-init'].map((scenario) => ({
  cell: { scenario, path: scenario },
}));
const histories = cells.map((setting) =>
  history(setting, ready(), probeStarted(), ...signal(), ...served(-20, 0), ...turnedAway(5, 20), ...exit(30, 0)),
);
const planned = plan(cells.map(cellOf));
const [only] = planned.targets;

describe('beside the verdicts of an image', () => {
  it('stand its windows and its stops', () => {
    const [shown] = judgeRun(planned, [...instrument(), ...histories]).targets;
    expect(shown?.windows).toMatchObject([{ scenario: 'window/acknowledged', kept: 48 }]);
    expect(shown?.stops).toMatchObject([{ how: 'signal' }, { how: 'init' }]);
  });

  it('stands nothing measured on an engine that failed its self-test', () => {
    const [shown] = judgeRun(planned, [...instrument(251, 0), ...histories]).targets;
    expect(shown?.windows).toBeUndefined();
    expect(shown?.stops).toBeUndefined();
  });

  it('stands from where it was seen: directly without a reason, since addresses differ, else each reason once', () => {
    const started = (vantage: string) => ({ kind: 'container.started', t: 0, pid: 7, vantage }) as const;
    const seenFrom = (...vantages: readonly string[]) =>
      judgeRun(planned, [
        ...instrument(),
        ...cells.map((setting, index) => history(setting, started(vantages[index] ?? ''), ready(), ...exit(30, 0))),
      ]).targets[0]?.seenFrom;
    expect(seenFrom('direct: 10.0.0.2', 'direct: 10.0.0.3', 'direct: 10.0.0.4')).toEqual(['direct']);
    expect(seenFrom('sidecar: rootless', 'none: broken', 'sidecar: rootless')).toEqual([
      'sidecar: rootless',
      'none: broken',
    ]);
    expect(judgeRun(planned, instrument()).targets[0]?.seenFrom).toBeUndefined();
  });

  it.each<readonly [string, TlsAccess | undefined, unknown]>([
    ['a certificate is verified with the CA that is given', { port: 8443, ca: 'PEM' }, { port: 8443, verified: true }],
    ['and not without one', { port: 8443 }, { port: 8443, verified: false }],
    ['no TLS is declared', undefined, undefined],
  ])('stands the TLS way in: %s', (_, tls, expected) => {
    const targets = planned.targets.map((entry) => ({ ...entry, target: { ...entry.target, ...(tls && { tls }) } }));
    expect(only?.target).not.toHaveProperty('tls');
    expect(judgeRun({ ...planned, targets }, [...instrument(), ...histories]).targets[0]?.tls).toEqual(expected);
  });
});
