import { describe, expect, it } from 'vitest';
import type { Entry } from '../../judge/testing/history-builder.ts';
import { at, exit, history, ready, signal, SIGNAL_AT } from '../../judge/testing/history-builder.ts';
import {
  acknowledged,
  controller,
  goodbye,
  probeEnded,
  probeStarted,
  refusedConnects,
  sample,
  served,
  turnedAway,
} from '../../judge/testing/window-builder.ts';
import type { Interval } from '../../model/time.ts';
import { describeWindows, sinceSignal, windowsOf } from './windows.ts';

const before: readonly Entry[] = [ready(), ...controller(), probeStarted(), served(-100, 0)];
const whole: readonly Entry[] = [
  ...before,
  signal(),
  turnedAway(5, 400),
  goodbye(3),
  acknowledged(403),
  refusedConnects(406, 420),
  exit(420, 0),
  probeEnded(420, 3),
];
const of = (...entries: readonly Entry[]) => windowsOf(history({}, ...entries));
const relative = (interval: Interval | undefined): readonly number[] | undefined =>
  interval && [interval.begin, interval.end].map((t) => Math.round((t - at(SIGNAL_AT)) / 1e4) / 100);

describe('windowsOf', () => {
  it('bounds each window by the observations around it', () => {
    const windows = of(...whole);
    expect({
      accepted: relative(windows.accepted),
      lastServed: relative(windows.lastServed?.interval),
      first503: relative(windows.first503?.interval),
      last503: relative(windows.last503?.interval),
      firstRefused: relative(windows.firstRefused?.interval),
      gateClosed: relative(windows.gateClosed?.interval),
      listenerClosed: relative(windows.listenerClosed?.interval),
      goodbyeReceived: relative(windows.goodbyeReceived?.interval),
      acknowledged: relative(windows.acknowledged?.interval),
      ended: relative(windows.ended?.interval),
    }).toEqual({
      accepted: [-2, 0],
      lastServed: [-2.6, -2],
      first503: [5.4, 6],
      last503: [397.4, 398],
      firstRefused: [406, 407.2],
      gateClosed: [-2, 6],
      listenerClosed: [395, 407.2],
      goodbyeReceived: [3, 3],
      acknowledged: [402.8, 403],
      ended: [420, 420],
    });
    expect(windows.outcomes.new).toEqual({ answered: 79, refused: 2, reset: 0, hung: 0, races: 0 });
    expect(windows.withdrawn).toBe(3);
  });

  it('a request served after the signal moves the begin of the gate', () => {
    const windows = of(...before, signal(), served(0, 20), turnedAway(25, 50));
    expect(relative(windows.gateClosed?.interval)).toEqual([17.4, 26]);
  });

  it('one that was sent when the 503 had come does not', () => {
    const windows = of(...before, signal(), turnedAway(5, 50), sample('kept', 30));
    expect(relative(windows.gateClosed?.interval)).toEqual([-2, 6]);
    expect(relative(windows.lastServed?.interval)).toEqual([30.4, 31]);
  });

  it('a 503 on another route than the probe’s own closes nothing', () => {
    const health = sample('new', 5, { purpose: 'readiness', request: 'GET /health', status: 503 });
    expect(of(...before, signal(), health).gateClosed).toBeUndefined();
  });

  it.each([
    ['an occasional 503', probeStarted(), sample('new', -50, { status: 503 })],
    ['a normal 503', probeStarted({ normal: 503 }), sample('new', -50, { status: 503 })],
  ])('%s before the signal makes a 503 prove nothing', (_, started, early) => {
    const windows = of(ready(), started, early, signal(), turnedAway(5, 50));
    expect(windows.gateClosed).toBeUndefined();
    expect(windows.doubt).toMatch(/before the signal/);
  });

  it('a refusal before a connect that succeeded does not close the listener', () => {
    const windows = of(...before, signal(), refusedConnects(10, 20), sample('new', 30, { status: 503 }));
    expect(relative(windows.firstRefused?.interval)).toEqual([10, 11.2]);
    expect(windows.listenerClosed).toBeUndefined();
  });

  it('a connect that succeeded and was reset keeps the listener open', () => {
    const reset = sample('new', 30, { outcome: 'reset', by: 'RST' });
    const windows = of(...before, signal(), turnedAway(5, 20), reset, refusedConnects(35, 45));
    expect(relative(windows.listenerClosed?.interval)).toEqual([30, 36.2]);
  });

  it('refusals, goodbyes and refused goodbyes before the signal are none', () => {
    const refused: Entry = {
      kind: 'controller.answered',
      t: at(SIGNAL_AT + 5),
      session: 1,
      method: 'service/deregister',
      outcome: 'refused',
    };
    const windows = of(...before, refusedConnects(-60, -50), goodbye(-20), acknowledged(-10), signal(), refused);
    expect(windows).not.toHaveProperty('firstRefused');
    expect(windows).not.toHaveProperty('goodbyeReceived');
    expect(windows).not.toHaveProperty('acknowledged');
  });

  it('stands on the begin of a connect only where one is on record', () => {
    const bare = sample('new', 30, { begin: undefined, connectedAt: undefined, sentBegin: undefined });
    const windows = of(...before, signal(), turnedAway(5, 20), bare, refusedConnects(35, 45));
    expect(relative(windows.listenerClosed?.interval)).toEqual([15, 36.2]);
    expect(relative(windows.gateClosed?.interval)).toEqual([-2, 6]);
  });

  it("the engine's own stop is accepted up to 40 ms after its call", () => {
    const stop: Entry = { kind: 'stop.called', t: at(SIGNAL_AT), mode: 'default' };
    expect(relative(of(ready(), probeStarted(), stop).accepted)).toEqual([0, 40]);
  });

  it('without a signal and without a probe nothing is bounded', () => {
    expect(of(ready())).toEqual({
      outcomes: {
        new: { answered: 0, refused: 0, reset: 0, hung: 0, races: 0 },
        kept: { answered: 0, refused: 0, reset: 0, hung: 0, races: 0 },
      },
      withdrawn: 0,
    });
    expect(of(...before)).not.toHaveProperty('gateClosed');
  });
});

describe('describeWindows', () => {
  it('says each window in ms after the signal, and what was not seen', () => {
    expect(describeWindows(of(...whole))).toEqual([
      'last normal answer: -2.6 to -2 ms after the signal',
      'gate closed: 0 to 8 ms after the signal',
      'first 503: 5.4 to 6 ms after the signal',
      'last 503: 397.4 to 398 ms after the signal',
      'goodbye received: 3 ms after the signal',
      'deregistration acknowledged: 402.8 to 403 ms after the signal',
      'first refusal: 406 to 407.2 ms after the signal',
      'listener closed: 395 to 407.2 ms after the signal',
      'process ended: 420 ms after the signal',
      'new connections: 79 answered, 2 refused, 0 reset, 0 hung',
      'kept connections: 79 answered, 0 refused, 0 reset, 0 hung, 3 closed by the service while idle',
    ]);
    expect(describeWindows(of(...before, signal()))[1]).toBe('gate closed: not seen');
    expect(describeWindows(of(ready()))).toEqual(['no signal: there are no windows']);
  });

  it('what came while the engine was still answering is not said to come before the signal', () => {
    const accepted = { begin: at(1000), end: at(1080) };
    expect(sinceSignal({ begin: at(1005), end: at(1007) }, accepted)).toBe('0 to 7 ms after the signal');
    expect(sinceSignal({ begin: at(1070), end: at(1090) }, accepted)).toBe('0 to 90 ms after the signal');
    expect(sinceSignal({ begin: at(1081), end: at(1090) }, accepted)).toBe('1 to 10 ms after the signal');
  });

  it('counts keep-alive races beside the resets', () => {
    const race = sample('kept', 10, { outcome: 'reset', by: 'FIN', race: true });
    expect(describeWindows(of(...before, signal(), race)).at(-1)).toContain('1 reset (1 keep-alive races)');
  });
});
