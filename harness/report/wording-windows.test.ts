import { describe, expect, it } from 'vitest';
import type { ComparedStop } from '../model/report.ts';
import { comparedStop, windowSummary } from './testing/literal-report.ts';
import { formatProbe, formatStops, formatTimes, leastKnown } from './wording-windows.ts';

describe('the windows in words', () => {
  it('are the intervals, ms from the signal, and how well the boundaries are known', () => {
    expect(formatTimes(windowSummary())).toBe(
      'signal -1.9..0, last 2xx -2.6..-2, gate closed -1.2..2.3, 503 from 1.8..2.3 to 401..402, ' +
        'first refusal 405..405.5, listener closed 400.4..405.5 ms; boundaries known to 5.1 ms',
    );
  });

  it('say the goodbye and the end too where all is asked for', () => {
    const text = formatTimes(windowSummary(), true);
    expect(text).toContain(', goodbye received not seen, acknowledged 400.1, first refusal ');
    expect(text).toContain(', ended not seen ms; ');
  });

  it('say what was not seen, another normal answer than 2xx, and the doubt', () => {
    const { boundariesWithinMs: _, ...rest } = windowSummary({ normal: 404, doubt: '503 before the signal already' });
    expect(formatTimes({ ...rest, times: { signal: { fromMs: -2, toMs: 0 } } })).toBe(
      'signal -2..0, last normal 404 not seen, gate closed not seen, 503 not seen, ' +
        'first refusal not seen, listener closed not seen ms; 503 before the signal already',
    );
  });

  it('count the connections opened beforehand, and every outcome', () => {
    expect(formatProbe(windowSummary())).toBe(
      '48 kept, 2 closed while idle, 41 requests on them: 40 answered, 0 refused, 1 reset (1 in a keep-alive race), ' +
        '0 hung; 78 new connections: 70 answered, 5 refused, 3 reset, 0 hung; every 5 ms, longest gap 6.1 ms',
    );
    const { longestGapMs: _, ...broken } = windowSummary();
    expect(formatProbe(broken)).toMatch(/every 5 ms, longest gap not known$/);
  });
});

describe('of the repeats of a cell', () => {
  it('the one whose boundaries are known least is shown, with how many there were', () => {
    const repeats = [3, 9, 5].map((boundariesWithinMs, i) => windowSummary({ repeat: i + 1, boundariesWithinMs }));
    const other = windowSummary({ scenario: 'window/draining', cell: 'over=h2', boundariesWithinMs: 1 });
    expect(leastKnown([...repeats, other])).toEqual([
      { window: repeats[1], name: 'window/acknowledged (the least known of 3)' },
      { window: other, name: 'window/draining over=h2' },
    ]);
  });

  it('one without any boundary is known least of all', () => {
    const { boundariesWithinMs: _, ...blind } = windowSummary({ repeat: 2 });
    expect(leastKnown([windowSummary(), blind])[0]?.window).toBe(blind);
  });
});

it.each<readonly [string, readonly ComparedStop[], string]>([
  [
    'the four kinds',
    [
      comparedStop('signal', 9.4),
      comparedStop('stop default', 12),
      comparedStop('stop given', 11, { timeoutS: 3 }),
      comparedStop('init', 15),
    ],
    'TERM 9.4 ms exit 0 · engine stop default 12 ms exit 0 · engine stop given 3 s 11 ms exit 0 · TERM behind its init 15 ms exit 0',
  ],
  [
    'a stop signal that is not the bare one is named',
    [comparedStop('signal', 9), comparedStop('stop default', 12, { signal: 'QUIT' })],
    'TERM 9 ms exit 0 · engine stop default (QUIT) 12 ms exit 0',
  ],
  [
    'what is known from the call only, and what is disputed',
    [comparedStop('signal', 9, { problem: '9 or 90' }), comparedStop('stop default', 45, { from: 'call' })],
    'TERM 9 ms (its two readings disagree) exit 0 · engine stop default 45 ms from the call exit 0',
  ],
  [
    'repeats that end alike share their range',
    [9, 30, 12].map((valueMs) => comparedStop('signal', valueMs)),
    'TERM 9 to 30 ms exit 0 (3 of 3)',
  ],
  [
    'one that ends otherwise stands out',
    [comparedStop('signal', 9), comparedStop('signal', 10), comparedStop('signal', 30, { exitCode: 1 })],
    'TERM 9 to 10 ms exit 0 (2 of 3), 30 ms exit 1 (1 of 3)',
  ],
])('stops: %s', (_, stops, text) => {
  expect(formatStops(stops)).toBe(text);
});

it.each<readonly [string, Partial<ComparedStop>, string]>([
  ['the outer timeout', { end: 'outer timeout', survivedMs: 10_000 }, 'TERM still running after 10000 ms'],
  ['a kill', { end: 'killed', why: '137: the engine says OOMKilled' }, 'TERM killed: 137: the engine says OOMKilled'],
  ['an unknown end', { end: 'unknown', why: 'no status' }, 'TERM end not known: no status'],
])('an end that is no exit is never called one: %s', (_, more, text) => {
  const { measured: _measured, exitCode: _exitCode, ...rest } = comparedStop('signal', 9);
  expect(formatStops([{ ...rest, ...more }])).toBe(text);
});
