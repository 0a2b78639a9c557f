import { describe, expect, it } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { checkClause } from '../judge/testing/judge-clause.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { exit, outerTimeout, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import { noSocket, readOn, socket, socketEnd } from '../judge/testing/web-socket-builder.ts';
import { wss2, wss3, wss7 } from './wss-close.ts';

const stopped = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries, ...exit(40, 0)];
const two: readonly Entry[] = [socket('idle', 1), socket('chatty', 2)];
const good = socketEnd(1, 5, { code: 1001 });
const cp: Setting = { preset: 'openab-cp' };
const REASON = 'control plane shutting down';

describe('WSS-2', () => {
  checkRows(wss2, [
    [
      'a Close with a code and a reason passes',
      'pass',
      stopped(...two, good, socketEnd(2, 6, { code: 1012 })),
      /2 of 2 got a whole Close frame: 1001 "shutting down" 4 ms after/,
    ],
    [
      'a reset after the Close is none of it',
      'pass',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1001, fate: 'reset' })),
      /1 of 1/,
    ],
    [
      'a reset in its place fails',
      'fail',
      stopped(...two, good, socketEnd(2, 6, { fate: 'reset' })),
      /1 of 2 got no such Close frame; web-sockets-2 \(chatty\) was reset 6 ms/,
    ],
    [
      'an end without a Close fails',
      'fail',
      stopped(...two, socketEnd(1, 40), socketEnd(2, 40)),
      /2 of 2.*was closed without one 40 ms/,
    ],
    [
      'an end in the middle of a frame fails',
      'fail',
      stopped(socket('chatty'), socketEnd(1, 5, { fate: 'truncated', partialFrame: true })),
      /cut in the middle of a frame/,
    ],
    [
      'what breaks the protocol fails',
      'fail',
      stopped(socket('idle'), socketEnd(1, 5, { problem: 'MASK must be clear' })),
      /breaks the protocol \(MASK/,
    ],
    ['another code fails', 'fail', stopped(socket('idle'), socketEnd(1, 5, { code: 1000 })), /Close with code 1000/],
    [
      'a Close without a code fails',
      'fail',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1005, reason: '' })),
      /no code/,
    ],
    [
      'a Close without a reason fails',
      'fail',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1001, reason: '' })),
      /1001 with no reason/,
    ],
    [
      'baseline takes 1000 too',
      'pass',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1000, reason: 'bye' })),
      /1000 "bye"/,
      { preset: 'baseline' },
    ],
    [
      'openab-cp wants its own words',
      'pass',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1012, reason: REASON })),
      /1012/,
      cp,
    ],
    [
      'and no others',
      'fail',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1012, reason: 'bye' })),
      /with the reason "bye"/,
      cp,
    ],
    [
      'and no other code',
      'fail',
      stopped(socket('idle'), socketEnd(1, 5, { code: 1001, reason: REASON })),
      /code 1001/,
      cp,
    ],
    [
      'none until the end of the process fails, whoever saw it',
      'fail',
      stopped(socket('idle'), socketEnd(1, 540, { fate: 'held' })),
      /got none until the record stopped/,
    ],
    [
      'none until the harness killed it fails',
      'fail',
      [ready(), ...signal(), socket('idle'), socketEnd(1, 10_003, { fate: 'reset' }), ...outerTimeout()],
      /reset/,
    ],
    [
      'without any end on record it is inconclusive',
      'inconclusive',
      [ready(), ...signal(), socket('idle'), socketEnd(1, 30, { fate: 'held' })],
      /how they ended is not on record/,
    ],
    [
      'after a second signal they are recorded only',
      'inconclusive',
      stopped(socket('idle'), ...signal('TERM', SIGNAL_AT + 10, 'script', 2), socketEnd(1, 12, { fate: 'reset' })),
      /recorded only/,
    ],
    [
      'what was wrong before it fails all the same',
      'fail',
      stopped(...two, good, ...signal('TERM', SIGNAL_AT + 10, 'script', 2), socketEnd(2, 6, { fate: 'reset' })),
      /reset 6 ms/,
    ],
    [
      'a socket on which nothing was said is none of it',
      'inconclusive',
      stopped(socket('unregistered'), good),
      /none of 0/,
    ],
    ['none that could be held is not exercised', 'not exercised', stopped(noSocket('answered 404')), /answered 404/],
  ]);
});

describe('WSS-3', () => {
  checkRows(wss3, [
    ['the same Close passes', 'pass', stopped(socket('unregistered'), good), /1 of 1/],
    ['a reset fails', 'fail', stopped(socket('unregistered'), socketEnd(1, 5, { fate: 'reset' })), /was reset/],
    ['one that is registered says nothing here', 'inconclusive', stopped(socket('idle'), socketEnd(1, 5)), /none of 0/],
  ]);
});

describe('WSS-7', () => {
  checkRows(wss7, [
    [
      'a whole Close of any code passes',
      'pass',
      stopped(socket('refused'), readOn(1, 20), socketEnd(1, 25, { code: 4001, reason: '' })),
      /4001/,
      cp,
    ],
    ['none fails', 'fail', stopped(socket('refused'), readOn(1, 20), socketEnd(1, 25)), /was closed without one/, cp],
    [
      'one that is cut fails',
      'fail',
      stopped(socket('refused'), readOn(1, 20), socketEnd(1, 25, { fate: 'truncated', partialFrame: true })),
      /middle of a frame/,
      cp,
    ],
    [
      'one that nobody read is inconclusive',
      'inconclusive',
      stopped(socket('refused'), socketEnd(1, 540, { fate: 'held' })),
      /1 of 1 were not read/,
      cp,
    ],
    [
      'and so is one that was read too late',
      'inconclusive',
      stopped(socket('refused'), readOn(1, 5100), socketEnd(1, 5101)),
      /not read before/,
      cp,
    ],
    [
      'after a second signal it is recorded only',
      'inconclusive',
      stopped(socket('refused'), readOn(1, 20), ...signal('INT', SIGNAL_AT + 10, 'script', 2), socketEnd(1, 25)),
      /recorded only/,
      cp,
    ],
  ]);
});

it('the evidence of a thousand is that of a few', () => {
  const many = Array.from(
    { length: 1000 },
    (_, n): Entry => [socket('idle', n + 1), socketEnd(n + 1, 5, { fate: 'reset' })],
  );
  const finding = checkClause(wss2, {}, stopped(...many));
  expect(finding.seen).toContain('1000 of 1000');
  expect(finding.evidence.length).toBeLessThan(40);
});
