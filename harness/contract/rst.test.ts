import { describe, expect, it } from 'vitest';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import {
  at,
  basisOf,
  exit,
  history,
  line,
  outerTimeout,
  ready,
  signal,
  started,
} from '../judge/testing/history-builder.ts';
import type { Draft } from '../model/observation.ts';
import { rst1, rst2 } from './rst.ts';

const AGAIN_AT = 2000;
const again = (...drafts: readonly Draft[]): Entry => drafts.map((seen) => ({ kind: 'second.life', t: seen.t, seen }));
const startedAgain: Draft = { kind: 'container.started', t: at(AGAIN_AT), pid: 200, vantage: 'direct' };
const readyAgain: Draft = { kind: 'ready', t: at(AGAIN_AT + 120), by: 'http', attempts: 3, answers: 2 };
const serves: Draft = { kind: 'serving', t: at(AGAIN_AT + 125), ok: true, detail: 'http' };
const says = (text: string): Draft => ({ kind: 'log', t: at(AGAIN_AT + 50), stream: 'stdout', text });
const failed = (reason: 'exited' | 'timeout', afterMs: number): Draft => ({
  kind: 'ready.failed',
  begin: at(AGAIN_AT),
  t: at(AGAIN_AT + afterMs),
  reason,
  message: `failed: ${reason}`,
});
const endedAgain: Draft = {
  kind: 'exit.state',
  t: at(AGAIN_AT + 60),
  running: false,
  status: 'exited',
  exitCode: 1,
  oomKilled: false,
};
const read = (ok: boolean, answered = true): Draft => ({
  kind: 'state',
  t: at(AGAIN_AT + 130),
  did: 'read',
  ok,
  answered,
  token: 'x',
  detail: 'the answer',
});
const left = (did: 'written' | 'refused', ok: boolean): Draft => ({ ...read(ok), t: at(700), did }) as Draft;

const baseline: Setting = { preset: 'baseline' };
const lived: readonly Entry[] = [started(), ready(), signal(), exit(10, 0)];

describe('RST-1, comes up again', () => {
  const judge = (setting: Setting, ...entries: readonly Entry[]) =>
    rst1.check(history(setting, ...entries), basisOf(setting).terms);

  it('passes with how long both starts took', () => {
    const finding = judge(baseline, ...lived, again(startedAgain, readyAgain, serves));
    expect(finding).toMatchObject({
      outcome: 'pass',
      seen: 'ready again 120 ms after it was started (at first 500 ms): http',
    });
  });

  it.each<[string, readonly Draft[], RegExp]>([
    [
      'ends before it is ready, with its last line',
      [startedAgain, says('pid file is there'), failed('exited', 50), endedAgain],
      /ended before it was ready, exit 1; last line: "pid file is there"/,
    ],
    ['becomes ready and ends', [startedAgain, readyAgain, endedAgain], /became ready and ended, exit 1/],
    ['is never ready', [startedAgain, failed('timeout', 30_000)], /never ready: failed: timeout/],
    ['is ready and does not serve', [startedAgain, readyAgain, { ...serves, ok: false } as Draft], /did not serve/],
  ])('fails where it %s', (_, second, seen) => {
    expect(judge(baseline, ...lived, again(...second))).toMatchObject({
      outcome: 'fail',
      seen: expect.stringMatching(seen),
    });
  });

  it.each<[string, readonly Entry[], RegExp]>([
    ['the engine does not start it', [...lived, again(failed('exited', 5))], /failed: exited/],
    ['it was not started again', lived, /was not started again/],
    ['nobody looked', [...lived, again(startedAgain, readyAgain)], /nobody looked/],
    ['the record breaks off', [...lived, again(startedAgain)], /nobody saw/],
    ['the first end is not confirmed', [started(), ready(), signal()], /never confirmed/],
    ['the first start took most of the limit', [...lived, again(startedAgain, failed('timeout', 700))], /500 ms/],
    ['it was never made to stop', [started(), ready()], /./],
  ])('is inconclusive where %s', (_, entries, seen) => {
    expect(judge(baseline, ...entries)).toMatchObject({ outcome: 'inconclusive', seen: expect.stringMatching(seen) });
  });

  it('is inconclusive where it answers with another good status than at first', () => {
    const by = (status: number): string => `GET / on port 80 answered ${status}`;
    const first: Draft = { kind: 'ready', t: at(500), by: `${by(200)} (EXPOSE)`, attempts: 1, answers: 2 };
    const life = (status: number): Entry => again(startedAgain, readyAgain, { ...serves, detail: by(status) } as Draft);
    const entries: readonly Entry[] = [started(), first, signal(), exit(10, 0)];
    expect(judge(baseline, ...entries, life(302)).outcome).toBe('inconclusive');
    expect(judge(baseline, ...entries, life(200)).outcome).toBe('pass');
    expect(judge(baseline, ...entries, life(20)).outcome).toBe('inconclusive');
  });

  it('of an emulated image a start that takes too long says nothing', () => {
    const emulated: Setting = { ...baseline, architecture: 'amd64', image: { architecture: 'arm64', os: 'linux' } };
    expect(judge(emulated, ...lived, again(startedAgain, failed('timeout', 30_000))).outcome).toBe('inconclusive');
  });

  it.each<[string, Entry, RegExp]>([
    ['had to be killed', outerTimeout(), /had to send SIGKILL/],
    ['was killed from outside', exit(10, 137), /137/],
    ['ended with another status', exit(10, 3), /no good one: exit 3/],
  ])('is not exercised after a first stop that %s', (_, end, seen) => {
    const finding = judge(baseline, started(), ready(), signal(), end);
    expect(finding).toMatchObject({ outcome: 'not exercised', seen: expect.stringMatching(seen) });
  });

  it('counts from an accepted status on', () => {
    const accepting: Setting = { ...baseline, terms: { acceptedStatuses: [{ status: 3, reason: 'says so' }] } };
    const entries: readonly Entry[] = [started(), ready(), signal(), exit(10, 3)];
    expect(judge(accepting, ...entries, again(startedAgain, readyAgain, serves)).outcome).toBe('pass');
  });
});

describe('RST-2, finds what it left', () => {
  const judge = (setting: Setting, first: readonly Entry[], ...second: readonly Draft[]) =>
    rst2.check(history(setting, ...first, again(startedAgain, readyAgain, ...second)), basisOf(setting).terms);
  const declared: Setting = { ...baseline, terms: { patterns: { recovery: 'mending the journal' } } };
  const certain = 'database system was not properly shut down; automatic recovery in progress';

  it.each([
    certain,
    'WARN: Unclean shutdown detected',
    'store was not cleanly closed, repairing',
    'InnoDB: Starting crash recovery.',
    'recovering from a crash',
  ])('fails at a line that leaves no doubt: %s', (text) => {
    expect(judge(baseline, lived, says(text))).toMatchObject({
      outcome: 'fail',
      seen: expect.stringContaining(JSON.stringify(text)),
    });
  });

  it.each([
    'no unclean shutdown detected',
    'automatic recovery in progress: not needed',
    'crash recovery is disabled',
    'recovery complete',
    'if the store was not cleanly closed, run repair',
    'shut down properly',
  ])('does not take for one: %s', (text) => {
    expect(judge(baseline, lived, says(text)).outcome).toBe('not exercised');
  });

  it('does not take for one what the first start said too', () => {
    expect(judge(baseline, [...lived, line(-600, certain)], says(certain)).outcome).toBe('not exercised');
    // what the stop itself says is no line of the first start
    expect(judge(baseline, [...lived, line(5, certain)], says(certain)).outcome).toBe('fail');
  });

  it('fails and passes by the declared line', () => {
    expect(judge(declared, lived, says('mending the journal')).outcome).toBe('fail');
    expect(judge(declared, lived, says('all is well'))).toMatchObject({
      outcome: 'pass',
      seen: 'none of 1 lines speaks of an unclean stop',
    });
  });

  it('is inconclusive where the first start had the declared line too, or lines are not on record', () => {
    const text = 'mending the journal';
    expect(judge(declared, [...lived, line(-600, text)], says(text)).outcome).toBe('inconclusive');
    const gap: Draft = { kind: 'log.left-out', t: at(AGAIN_AT + 60), stream: 'stdout', lines: 9, bytes: 99 };
    expect(judge(declared, lived, gap).outcome).toBe('inconclusive');
  });

  it.each<[string, Draft, string]>([
    ['passes where it is there', read(true), 'pass'],
    ['fails where it is gone', read(false), 'fail'],
    ['is inconclusive where nothing was answered', read(false, false), 'inconclusive'],
  ])('of the value written before the stop: %s', (_, asked, outcome) => {
    expect(judge(baseline, [...lived, left('written', true)], asked).outcome).toBe(outcome);
  });

  it('is not exercised without a line or a value to go by, with what to declare', () => {
    const declare = 'logs: { recovery: "…" }   # or server: redis';
    expect(judge(baseline, lived)).toMatchObject({ outcome: 'not exercised', declare });
    const refused = judge(baseline, [...lived, left('refused', true)]);
    expect(refused).toMatchObject({ outcome: 'not exercised', seen: expect.stringContaining('set up to keep none') });
    const untaken = judge(baseline, [...lived, left('written', false)]);
    expect(untaken).toMatchObject({ outcome: 'not exercised', seen: expect.stringContaining('does not take one') });
  });

  it('is not exercised where it did not come up, unless it has said why', () => {
    const check = (...second: readonly Draft[]) =>
      rst2.check(history(declared, ...lived, again(...second)), basisOf(declared).terms);
    expect(check(startedAgain, failed('exited', 50)).outcome).toBe('not exercised');
    expect(check(startedAgain, says('mending the journal'), failed('exited', 50)).outcome).toBe('fail');
    expect(check(startedAgain).outcome).toBe('inconclusive');
  });
});
