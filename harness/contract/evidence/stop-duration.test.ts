import { describe, expect, it } from 'vitest';
import { at, exit, history, ready, signal, SIGNAL_AT } from '../../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../../judge/testing/history-builder.ts';
import { byTime, signalName, triggerOf } from './queries.ts';
import { compareToLimit, stopDuration } from './stop-duration.ts';

const measure = (setting: Setting, ...entries: readonly Entry[]) => stopDuration(history(setting, ...entries));
const withoutHost = (afterMs: number): Entry => exit(afterMs, 0).slice(1);

describe('the two readings', () => {
  it('the host reading decides where there is one', () => {
    const duration = measure({}, ...signal(), ...exit(100, 0, { finishedMs: 102 }));
    expect(duration.host).toEqual({ by: 'host', valueMs: 100, lowMs: 95, highMs: 105 });
    expect(duration.engine).toEqual({ by: 'engine', valueMs: 102, lowMs: 90, highMs: 114 });
    expect(duration.measurement).toBe(duration.host);
  });

  it('the engine reading decides alone where the host saw nothing', () => {
    expect(measure({}, ...signal(), withoutHost(100)).measurement).toMatchObject({ by: 'engine', valueMs: 100 });
  });

  it("an end that only the engine's interface showed is no host reading", () => {
    const seen: Entry = { kind: 'exit.seen', by: 'engine', t: at(SIGNAL_AT + 180) };
    expect(measure({}, ...signal(), seen, withoutHost(100)).measurement).toMatchObject({ by: 'engine' });
  });

  it("the error of the engine's clock widens its reading and how its kill event is looked for", () => {
    const [sent, delivered, event] = signal();
    const farOff = [sent, delivered, { ...event, at: at(SIGNAL_AT - 30) }] as readonly Entry[];
    const engine = (clockErrorMs: number) => measure({ clockErrorMs }, ...farOff, withoutHost(100)).engine;
    expect(engine(0)).toBeUndefined();
    expect(engine(20)).toEqual({ by: 'engine', valueMs: 130, lowMs: 98, highMs: 162 });
  });

  it("podman's finish time is 4 ms early", () => {
    expect(measure({ engine: 'podman' }, ...signal(), withoutHost(100)).engine?.valueMs).toBe(104);
  });

  it.each([
    ['within 15 ms: the host alone', 115, { lowMs: 95, highMs: 105 }],
    ['further apart: the span of both', 140, { lowMs: 95, highMs: 152 }],
    ['further apart the other way', 60, { lowMs: 48, highMs: 105 }],
  ])('%s', (_, finishedMs, bounds) => {
    const duration = measure({}, ...signal(), ...exit(100, 0, { finishedMs }));
    expect(duration.measurement).toMatchObject({ by: 'host', valueMs: 100, ...bounds });
  });
});

it('nothing is certainly beyond a limit of 0 that may have taken no time', () => {
  expect(compareToLimit({ by: 'host', valueMs: 5, lowMs: 0, highMs: 12 }, 0)).toBe('undecided');
  expect(compareToLimit({ by: 'host', valueMs: 15, lowMs: 3, highMs: 27 }, 0)).toBe('beyond');
});

describe('the interval', () => {
  it('reaches from last seen alive to first seen dead', () => {
    const seen: Entry = { kind: 'exit.seen', by: 'proc', begin: at(SIGNAL_AT + 80), t: at(SIGNAL_AT + 100) };
    expect(measure({}, ...signal(), seen).measurement).toMatchObject({ lowMs: 75, highMs: 105 });
  });

  it('is wider by the longest stall between signal and end, and without a kill event by the length of the call', () => {
    const stall: Entry = { kind: 'stall', begin: at(SIGNAL_AT - 9), t: at(SIGNAL_AT - 1), lateMs: 8 };
    const elsewhere: Entry = { kind: 'stall', begin: at(SIGNAL_AT + 1), t: at(SIGNAL_AT + 9), lateMs: 8 };
    const entries = [...signal(), ...exit(100, 0)].filter(({ kind }) => kind !== 'engine.event');
    const afterwards: Entry = { kind: 'stall', begin: at(SIGNAL_AT + 101), t: at(SIGNAL_AT + 109), lateMs: 8 };
    expect(measure({}, stall, ...entries).host).toMatchObject({ lowMs: 87, highMs: 115 });
    expect(measure({}, elsewhere, ...entries).host).toMatchObject({ lowMs: 87, highMs: 115 });
    expect(measure({}, afterwards, ...entries).host).toMatchObject({ lowMs: 95, highMs: 107 });
  });

  it('without a kill event begins anywhere in the call: an engine may answer long after the signal', () => {
    const [sent, delivered] = signal();
    const answeredLate = [sent, { ...delivered, t: at(SIGNAL_AT + 338) }] as readonly Entry[];
    const { host } = measure({}, ...answeredLate, ...exit(1200, 0));
    expect(host).toMatchObject({ valueMs: 862, lowMs: 857, highMs: 1207 });
  });

  it('ends with the kernel’s own stamp of the end of PID 1, however late the watcher was', () => {
    const started: Entry = { kind: 'container.started', t: at(10), pid: 4711, vantage: 'direct' };
    const child: Entry = { kind: 'process.exit', t: at(SIGNAL_AT + 40), pid: 4712, comm: 'worker', code: 0 };
    const exact: Entry = { kind: 'process.exit', t: at(SIGNAL_AT + 90), pid: 4711, comm: 'server', code: 0 };
    const duration = measure({}, started, ...signal(), child, exact, ...exit(100, 0));
    expect(duration.host).toMatchObject({ valueMs: 90, lowMs: 85, highMs: 95 });
  });

  it('an end before a late answer is estimated from the kill event, inside of its own bounds', () => {
    const [sent, delivered, event] = signal();
    const late = [sent, { ...delivered, t: at(SIGNAL_AT + 230) }, event] as readonly Entry[];
    const host = measure({}, ...late, ...exit(85, 0)).host;
    expect(host).toMatchObject({ lowMs: 0, highMs: 92 });
    expect(host?.valueMs).toBeLessThanOrEqual(host?.highMs ?? 0);
  });

  it('an answer that was stamped after the kill event was stamped late: the event is the better start', () => {
    const [sent, delivered, event] = signal();
    const answeredLate = [sent, { ...delivered, t: at(SIGNAL_AT + 20) }, event] as readonly Entry[];
    expect(measure({}, ...answeredLate, ...exit(100, 0)).host).toMatchObject({ valueMs: 100, lowMs: 75, highMs: 105 });
  });

  it('a call that was held up says nothing of when the signal was sent: its event was written late too', () => {
    const [sent, delivered, event] = signal();
    const heldUp = [
      sent,
      { ...delivered, t: at(SIGNAL_AT + 75) },
      { ...event, at: at(SIGNAL_AT + 56) },
    ] as readonly Entry[];
    const host = measure({}, ...heldUp, ...exit(1030, 0)).host;
    expect(host?.highMs).toBeGreaterThanOrEqual(1030);
    expect(host?.valueMs).toBe(974);
  });

  it('the SIGKILL of the harness is not where a stop is measured from', () => {
    const duration = measure({}, ...signal(), ...signal('KILL', SIGNAL_AT + 50, 'outer-timeout', 2), ...exit(60, 137));
    expect(duration.measurement?.valueMs).toBe(60);
    expect(duration.engine?.valueMs).toBe(60);
  });
});

describe('queries', () => {
  it('sort by time, not by the order of writing', () => {
    const h = history({}, ready(700), ready(500));
    expect(byTime(h).map((o) => o.seq)).toEqual([2, 1, 3]);
  });

  it.each(['TERM', 'SIGTERM', 'sigterm', '15'])('%s is TERM', (text) => expect(signalName(text)).toBe('TERM'));

  it.each([
    ['seen dead before the signal', {}, exit(-3, 0), undefined],
    ['seen dead while it was sent', {}, exit(-1, 0), 'TERM'],
    ['finished before it, by the engine', {}, exit(1, 0, { finishedMs: -15 }).slice(1), undefined],
    ['finished before it, within what the clock is worth', {}, exit(1, 0, { finishedMs: -13 }).slice(1), 'TERM'],
    ['finished before it, within the error of the clock', { clockErrorMs: 9 }, exit(1, 0, { finishedMs: -20 }), 'TERM'],
    ['seen dead by the engine’s interface only', {}, { kind: 'exit.seen', by: 'engine', t: at(900) }, 'TERM'],
  ] as const)('PID 1 %s', (_, setting: Setting, end: Entry, expected) => {
    expect(triggerOf(history(setting, end, ...signal()))?.signal).toBe(expected);
    const called: Entry = { kind: 'stop.called', t: at(SIGNAL_AT - 2), mode: 'default' };
    expect(triggerOf(history(setting, end, called))?.by).toBe(expected && 'stop');
  });

  it('the first of two signals is the trigger', () => {
    const h = history({}, ...signal('INT', 1100, 'script', 2), ...signal('TERM', 1000));
    expect(triggerOf(h)).toMatchObject({ signal: 'TERM', interval: { begin: at(998), end: at(1000) } });
  });
});
