import { describe, expect, it } from 'vitest';
import { clauses } from '../contract/index.ts';
import type { Finding } from '../model/clause.ts';
import { judgeHistory, retryable } from './judge-history.ts';
import { judgeRun } from './judge.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import {
  at,
  cellOf,
  exit,
  gracefulStop,
  history,
  outerTimeout,
  processFact,
  ready,
  signal,
  tree,
} from './testing/history-builder.ts';
import { plan } from './testing/plan-builder.ts';
import { finished, held, lost } from './testing/work-builder.ts';

const emulated: Setting = { architecture: 'x86_64', image: { os: 'linux', architecture: 'arm64' } };
const native: Setting = { architecture: 'x86_64', image: { os: 'linux', architecture: 'amd64' } };
const outcomes = (setting: Setting, entries: readonly Entry[]): readonly Finding['outcome'][] =>
  judgeHistory(history(setting, ...entries)).map(({ finding }) => finding.outcome);

/** The engine's own stop, called at the usual moment of the signal, that ended in the engine's SIGKILL. */
const killedByStop: readonly Entry[] = [
  ready(),
  { kind: 'stop.called', t: at(1000), mode: 'default' },
  { kind: 'stop.returned', begin: at(1000), t: at(11_100), mode: 'default' },
  exit(10_050, 137),
];
const cut = [ready(), held('slow-body-1'), ...signal(), lost('slow-body-1', 5), ...exit(9, 0)];
const unanswered = [
  ready(),
  held('slow-body-1'),
  ...signal(),
  finished('slow-body-1', 300),
  lost('slow-body-1', 2000),
  ...exit(2010, 0),
];
const zombie = processFact(9, 1, ['worker'], { state: 'Z' });
const service = processFact(1, 0, ['/server']);
const zombies = [
  ready(),
  tree([service]),
  ...signal(),
  ...[1010, 1900, 2800].map((ms) => tree([service, zombie], 'during-stop', ms)),
  ...exit(2000, 0),
];
const shell = processFact(1, 0, ['/bin/sh', '-c', 'node main.js; true']);
const behindShell = tree([shell, processFact(7, 1, ['node', 'main.js'])]);

describe('under emulation what rests on time is inconclusive, and what is definite stays', () => {
  it.each<readonly [string, Setting, readonly Entry[], Finding['outcome'], Finding['outcome']]>([
    ['a pass within the limit', {}, gracefulStop(), 'pass', 'inconclusive'],
    ['a failure far beyond it', {}, [ready(), ...signal(), ...exit(9000, 0)], 'fail', 'inconclusive'],
    ['still running at the outer timeout', {}, [ready(), ...signal(), ...outerTimeout()], 'fail', 'inconclusive'],
    [
      'no effect until the outer timeout',
      { clauses: ['IMG-2'] },
      [ready(), ...signal(), ...outerTimeout()],
      'fail',
      'inconclusive',
    ],
    [
      "SIGKILL by the engine's stop",
      { clauses: ['IMG-5'], values: { timeout: 'default' } },
      killedByStop,
      'fail',
      'inconclusive',
    ],
    ['a wrong status in time', {}, [ready(), ...signal(), ...exit(12, 3)], 'fail', 'fail'],
    ['a wrong status far beyond the limit', {}, [ready(), ...signal(), ...exit(9000, 3)], 'fail', 'fail'],
    ['SIGKILL from elsewhere', {}, [ready(), ...signal(), ...exit(12, 137)], 'fail', 'fail'],
    ['no SIGKILL, but OOM', {}, [ready(), ...signal(), ...exit(12, 0, { oom: true })], 'fail', 'fail'],
    ['a shell in front', { clauses: ['IMG-1'] }, [ready(), behindShell, ...signal(), ...exit(12, 0)], 'fail', 'fail'],
    ['the effect of the signal', { clauses: ['IMG-2'] }, gracefulStop(), 'pass', 'pass'],
    ['the stop signal', { clauses: ['IMG-3'] }, gracefulStop(), 'pass', 'pass'],
    ['work that was never answered in time', { clauses: ['DRN-1'] }, unanswered, 'fail', 'inconclusive'],
    ['a zombie for long in the stop', { clauses: ['IMG-4'] }, zombies, 'fail', 'inconclusive'],
    ['work dropped at once', { clauses: ['DRN-1'] }, cut, 'fail', 'fail'],
  ])('%s', (_, setting, entries, natively, otherwise) => {
    expect(outcomes({ ...setting, ...native }, entries)).toEqual([natively]);
    expect(outcomes({ ...setting, ...emulated }, entries)).toEqual([otherwise]);
  });

  it('the finding says what was seen, and why it proves nothing', () => {
    const [stop] = judgeHistory(history(emulated, ...gracefulStop()));
    expect(stop?.finding.seen).toMatch(
      /^exit 0 after 12 ms .* \(limit 1000 ms\): linux\/arm64 emulated on amd64, which proves nothing about time$/,
    );
    const [hang] = judgeHistory(history(emulated, ready(), ...signal(), ...outerTimeout()));
    expect(hang?.finding.seen).toMatch(
      /^still running .*: linux\/arm64 emulated on amd64, which .* \(as it is this would be a fail\)$/,
    );
  });

  it.each([
    ['within the limit', 12],
    ['on the limit', 1000],
    ['beyond the limit beside others', 1400],
    ['far beyond it', 9000],
  ])('a stop %s is not measured again', (_, afterMs) => {
    expect(retryable(history(emulated, ready(), ...signal(), ...exit(afterMs, 0)))).toEqual([]);
  });

  it('nor is a stop during which nobody looked', () => {
    const unseen = [ready(), tree([service]), ...signal(), ...exit(900, 0)];
    const setting = { clauses: ['IMG-4'] };
    expect(retryable(history({ ...setting, ...native }, ...unseen))).toEqual(['IMG-4']);
    expect(retryable(history({ ...setting, ...emulated }, ...unseen))).toEqual([]);
  });

  it('no clause passes or fails by a measurement, whatever was seen', () => {
    for (const entries of [gracefulStop(), gracefulStop(9000), cut, killedByStop]) {
      const setting = { ...emulated, clauses: clauses.map(({ id }) => id) };
      const judged = judgeHistory(history(setting, ...entries));
      const decided = judged.filter(({ finding }) => finding.outcome === 'pass' && finding.measured !== undefined);
      expect(decided).toEqual([]);
      expect(judged.filter(({ finding }) => finding.timing)).toEqual([]);
    }
  });

  it('the report of a run says it of the image on that engine', () => {
    const engine = history(emulated).header.engine;
    const run = (setting: Setting) =>
      judgeRun({ ...plan([cellOf(setting)], setting), engines: [engine] }, [history(setting, ...gracefulStop())]);
    expect(run(emulated).targets[0]?.emulation).toBe('linux/arm64 emulated on amd64');
    expect(run(native).targets[0]).not.toHaveProperty('emulation');
  });
});
