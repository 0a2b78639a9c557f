import { describe, expect, it } from 'vitest';
import { clauses } from '../contract/index.ts';
import type { Clause } from '../model/clause.ts';
import type { History } from '../model/history.ts';
import { judgeHistory, retryable } from './judge-history.ts';
import {
  at,
  exit,
  gracefulStop,
  history,
  outerTimeout,
  processFact,
  ready,
  signal,
  started,
  tree,
} from './testing/history-builder.ts';
import type { Entry, Setting } from './testing/history-builder.ts';
import { probeStarted, served } from './testing/window-builder.ts';
import { held, lost, workFailed } from './testing/work-builder.ts';

const all = clauses.map((clause) => clause.id);
const only = (h: History) => judgeHistory(h)[0]?.finding;
const fault = (t: number): Entry => ({ kind: 'fault', t: at(t), where: 'engine', message: 'the daemon died' });

describe('a history', () => {
  it('is judged by every clause of its cell that can speak about it', () => {
    const judged = judgeHistory(history({ clauses: all }, ...gracefulStop())).map((entry) => entry.clause);
    expect(judged).toContain('SIG-1');
    expect(judged).not.toContain('SIG-2');
    expect(judged).not.toContain('IMG-5');
  });

  it.each([
    ['graceful', gracefulStop()],
    ['killed', [ready(), ...signal(), ...outerTimeout()]],
    ['with a fault', [ready(), ...signal(), fault(1002), ...exit(9, 137)]],
    ['empty', []],
  ])('gives the same findings after a round trip through JSON (%s)', (_, entries) => {
    const h = history({ clauses: all }, started(), ...entries);
    expect(judgeHistory(JSON.parse(JSON.stringify(h)) as History)).toEqual(judgeHistory(h));
  });

  it('gives the same findings in whatever order it was written', () => {
    const h = history({ clauses: all }, ...gracefulStop());
    const shuffled = { ...h, observations: h.observations.toReversed() };
    expect(judgeHistory(shuffled)).toEqual(judgeHistory(h));
  });
});

describe('a torn history', () => {
  it('cannot pass', () => {
    const h = history({ clauses: all, complete: false }, ...gracefulStop());
    expect(judgeHistory(h).map((entry) => entry.finding.outcome)).not.toContain('pass');
    expect(only(history({ complete: false }, ...gracefulStop()))?.seen).toMatch(/cut short .*exit 0/);
  });

  it('can fail', () => {
    expect(only(history({ complete: false }, ready(), ...signal(), ...exit(12, 1)))?.outcome).toBe('fail');
  });

  it('says nothing of what it did not get to', () => {
    const window = [ready(), probeStarted(), served(-100, 0), ...signal()].flat();
    const outcome = (complete: boolean) => only(history({ clauses: ['ADM-1'], complete }, ...window))?.outcome;
    expect(outcome(true)).toBe('not exercised');
    expect(outcome(false)).toBe('inconclusive');
    const unheld = [ready(), workFailed('slow-body', '404')];
    expect(only(history({ clauses: ['DLN-1'], complete: false }, ...unheld))?.outcome).toBe('not exercised');
  });

  it('is not worth a repetition', () => {
    expect(retryable(history({ complete: false }, ready(), ...signal(), ...exit(1000, 0)))).toEqual([]);
  });
});

describe('a fault on record', () => {
  it.each([
    ['a pass', gracefulStop()],
    ['137 by the death of the daemon', [ready(), ...signal(), ...exit(40, 137)]],
    ['255 by the death of the daemon', [ready(), ...signal(), ...exit(40, 255)]],
  ])('makes %s inconclusive', (_, entries) => {
    expect(only(history({}, ...entries, fault(1002)))).toMatchObject({
      outcome: 'inconclusive',
      seen: expect.stringContaining('the daemon died'),
    });
  });

  const shell = tree([processFact(1, 0, ['sh']), processFact(2, 1, ['node'])]);
  it('that is told together with what came of it makes that inconclusive', () => {
    expect(only(history({ clauses: ['IMG-1'] }, ready(), fault(510), shell))?.outcome).toBe('inconclusive');
  });

  it('leaves a failure that was established before it', () => {
    expect(only(history({ clauses: ['IMG-1'] }, ready(), shell, fault(1002)))?.outcome).toBe('fail');
    expect(only(history({ clauses: ['IMG-1'] }, ready(), shell, fault(400)))?.outcome).toBe('inconclusive');
    const quit: Setting = { clauses: ['IMG-3'], image: { stopSignal: { value: 'QUIT', origin: 'image' } } };
    expect(only(history(quit, fault(400)))?.outcome).toBe('fail');
  });
});

describe('checks', () => {
  const clause = (more: Partial<Clause>): Clause => ({ ...(clauses[0] as Clause), ...more });

  it('one that throws is inconclusive with the error', () => {
    const broken = clause({
      check: () => {
        throw new TypeError('no such field');
      },
    });
    expect(judgeHistory(history({ clauses: ['IMG-1'] }), () => broken)[0]?.finding).toMatchObject({
      outcome: 'inconclusive',
      seen: 'the check of IMG-1 broke: no such field',
    });
  });

  it('a bad pattern of the profile is inconclusive, not a crash', () => {
    const setting: Setting = { clauses: ['SIG-4'], terms: { patterns: { signalReceived: '(' } } };
    expect(only(history(setting, ...gracefulStop()))).toMatchObject({ outcome: 'inconclusive' });
  });

  it('a missing capability is not exercised, with what to declare', () => {
    const missing: Entry = {
      kind: 'capability.missing',
      t: 0,
      capability: 'http',
      reason: 'no port',
      declare: 'port: 8080',
    };
    const h = history({ clauses: ['DLN-2', 'SIG-1'] }, missing, ...gracefulStop());
    expect(judgeHistory(h).map(({ finding }) => [finding.outcome, finding.declare])).toEqual([
      ['not exercised', 'port: 8080'],
      ['pass', undefined],
    ]);
  });

  it('a script that ended for want of work leaves nothing to speak about, but what was seen stands', () => {
    const missing: Entry = {
      kind: 'capability.missing',
      t: at(600),
      capability: 'held work',
      reason: 'r',
      declare: 'endpoints',
    };
    const quit: Setting = { clauses: ['SIG-4', 'IMG-3'], image: { stopSignal: { value: 'QUIT', origin: 'image' } } };
    const outcomes = (h: History) => judgeHistory(h).map(({ finding }) => finding.outcome);
    expect(outcomes(history(quit, ready(), missing))).toEqual(['not exercised', 'fail']);
    expect(outcomes(history({ ...quit, complete: false }, ready(), missing))).toEqual(['inconclusive', 'fail']);
    const died: Entry = { kind: 'exit.seen', t: at(700), by: 'pidfd' };
    expect(outcomes(history(quit, ready(), missing, died))).toEqual(['inconclusive', 'fail']);
    const gone: Entry = {
      kind: 'signal.failed',
      t: at(1000),
      n: 1,
      signal: 'TERM',
      purpose: 'script',
      message: 'no such process',
      ended: true,
    };
    expect(outcomes(history(quit, ready(), missing, gone))).toEqual(['inconclusive', 'fail']);
  });

  it('what one load could not hold does not silence what another held', () => {
    const missing = (capability: 'http' | 'registry'): Entry => {
      return { kind: 'capability.missing', t: at(650), capability, reason: 'r', declare: 'd' };
    };
    const cut = [held('slow-body-1'), ...signal(), lost('slow-body-1', 5), ...exit(9, 0)];
    const finding = (capability: 'http' | 'registry') =>
      only(history({ clauses: ['DRN-1'] }, ready(), missing(capability), ...cut));
    expect(finding('http')?.outcome).toBe('fail');
    const needsRegistry = only(history({ clauses: ['ADM-3'] }, ready(), missing('registry'), ...cut));
    expect(needsRegistry?.outcome).toBe('not exercised');
  });

  it('a service that ended by itself under the load is not one that could not be loaded', () => {
    const failed = workFailed('slow-body', 'refused');
    const missing: Entry = { kind: 'capability.missing', t: at(701), capability: 'http', reason: 'r', declare: 'd' };
    const died: Entry = { kind: 'exit.seen', t: at(690), by: 'pidfd' };
    const clauses = ['DRN-1', 'DRN-2', 'DLN-1', 'DLN-7'];
    const outcomes = (...entries: readonly Entry[]) =>
      new Set(judgeHistory(history({ clauses }, ready(), ...entries)).map(({ finding }) => finding.outcome));
    expect(outcomes(failed, missing)).toEqual(new Set(['not exercised']));
    expect(outcomes(failed, missing, died)).toEqual(new Set(['inconclusive']));
    expect(only(history({ clauses }, ready(), failed, missing, died))?.seen).toMatch(/ended by itself before anything/);
  });

  it('an id of another version is inconclusive', () => {
    expect(only(history({ clauses: ['XYZ-1'] }, ...gracefulStop()))).toMatchObject({ outcome: 'inconclusive' });
  });
});

describe('repetition', () => {
  it.each([
    ['an undecided limit', {}, [...signal(), ...exit(1000, 0)], ['SIG-1']],
    ['readings that disagree about the limit', {}, [...signal(), ...exit(970, 0, { finishedMs: 1010 })], ['SIG-1']],
    ['readings that disagree far from the limit', {}, [...signal(), ...exit(100, 0, { finishedMs: 140 })], []],
    ['a limit passed by less than half in company', {}, [...signal(), ...exit(1400, 0)], ['SIG-1']],
    ['a limit passed by less than half alone', { cell: { lane: 'alone' } }, [...signal(), ...exit(1400, 0)], []],
    ['a pass', {}, [...signal(), ...exit(100, 0)], []],
    ['a failure', {}, [...signal(), ...exit(1500, 0)], []],
    ['an end that nobody saw', {}, signal(), []],
    [
      'a clause that is only recorded',
      { preset: 'baseline', clauses: ['SIG-2-fast'], values: { signal: 'INT' } },
      [...signal('INT'), ...exit(1000, 0)],
      [],
    ],
    [
      'a clause that is only recorded, but required',
      { preset: 'baseline', clauses: ['SIG-2-fast'], values: { signal: 'INT' }, basis: { required: ['SIG-2-fast'] } },
      [...signal('INT'), ...exit(1000, 0)],
      ['SIG-2-fast'],
    ],
  ] as const)('%s', (_, setting: Setting, entries: readonly Entry[], expected) => {
    expect(retryable(history(setting, ready(), ...entries))).toEqual(expected);
  });
});
