import { describe, expect, it } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { judgeHistory } from '../judge/judge-history.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { at, exit, GRACEFUL, history, line, logComplete, ready, signal } from '../judge/testing/history-builder.ts';
import { noSocket, readOn, socket, socketEnd } from '../judge/testing/web-socket-builder.ts';
import { completed, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { dln1 } from './dln-cut.ts';
import { dln7 } from './dln-connections.ts';
import { drn9 } from './drn-exit.ts';
import { drn5 } from './drn-idle.ts';
import { drn1, drn2 } from './drn-work.ts';

/* WebSockets beside other work: they are connections, and no clause about requests may take one for a request. */

const busy = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const work = completed('slow-body-1');
const many = Array.from({ length: 32 }, (_, n) => completed(`slow-body-${n + 1}`));
const closed: readonly Entry[] = [socket('idle'), socketEnd(1, 5, { code: 1001 })];
const left: readonly Entry[] = [socket('idle'), socketEnd(1, 2003)];

describe('work that completes beside WebSockets', () => {
  checkRows(drn1, [
    ['is all that counts', 'pass', busy(work, ...closed, ...exit(510, 0)), /all 1 pieces/],
    ['and none is none', 'inconclusive', busy(...closed, ...exit(510, 0)), /none of the pieces of admitted work/],
    [
      'a WebSocket that was left until the grace ran out makes its status true',
      'pass',
      busy(work, ...left, ...exit(2010, 1)),
      /exit 1/,
    ],
    ['one that was closed does not', 'fail', busy(work, ...closed, ...exit(510, 1)), /exit 1: not an accepted status/],
  ]);
  checkRows(drn2, [['among many the same', 'pass', busy(...many, ...left, ...exit(2010, 1)), /32 of 32|all 32/]]);
  checkRows(drn9, [
    [
      'the exit follows the work, not the WebSocket',
      'pass',
      busy(work, ...closed, ...exit(520, 0)),
      /after the last answer/,
    ],
  ]);
  checkRows(drn5, [
    ['an idle connection is another thing', 'inconclusive', busy(...closed, ...exit(12, 0)), /none of 0 idle/],
  ]);
  checkRows(dln1, [
    [
      'no request was cut by a WebSocket that was',
      'inconclusive',
      busy(...left, ...exit(2010, 1)),
      /no work was in flight/,
    ],
    [
      'one that was cut with the grace is',
      'pass',
      busy(held('slow-body-1'), lost('slow-body-1', 2003), ...left, ...exit(2010, 1)),
      /1 pieces? of|slow-body-1|cut/,
    ],
  ]);
});

describe('DLN-7', () => {
  checkRows(dln7, [
    [
      'a WebSocket that is closed by the exit passes',
      'pass',
      busy(...closed, ...exit(12, 0)),
      /1 connection\(s\): 1 closed/,
    ],
    [
      'one that is cut in the middle of a frame shows it',
      'pass',
      busy(socket('idle'), socketEnd(1, 5, { fate: 'truncated', partialFrame: true }), ...exit(12, 0)),
      /1 truncated/,
    ],
    [
      'one that stays open to its peer fails',
      'fail',
      busy(socket('idle'), socketEnd(1, 540, { fate: 'held' }), ...exit(12, 0)),
      /still open to its peer/,
    ],
    [
      'who reads nothing cannot learn of it',
      'inconclusive',
      busy(socket('stops-reading'), socketEnd(1, 540, { fate: 'held' }), ...exit(12, 0)),
      /no connection was held/,
    ],
    [
      'nor who has not begun to',
      'inconclusive',
      busy(socket('backlog'), socketEnd(1, 540, { fate: 'held' }), ...exit(12, 0)),
      /no connection was held/,
    ],
    [
      'who read on can',
      'fail',
      busy(socket('backlog'), readOn(1, 5), socketEnd(1, 540, { fate: 'held' }), ...exit(12, 0)),
      /still open to its peer/,
    ],
  ]);
});

it('a kind that could not be held does not silence what another tells', () => {
  const missing: Entry = {
    kind: 'capability.missing',
    t: at(700),
    capability: 'websocket',
    reason: 'not held',
    declare: 'x',
  };
  const entries = busy(
    socket('idle'),
    noSocket('not held'),
    missing,
    socketEnd(1, 5, { code: 1001 }),
    line(11, GRACEFUL),
    ...exit(12, 0),
    logComplete(),
  );
  const outcomes = (...more: readonly Entry[]) =>
    judgeHistory(history({ clauses: ['WSS-1', 'WSS-2', 'WSS-3'] }, ...more)).map(({ finding }) => finding.outcome);
  expect(outcomes(...entries)).toEqual(['pass', 'pass', 'not exercised']);
});

it('WebSockets that could not be held do not silence the requests beside them', () => {
  const missing: Entry = {
    kind: 'capability.missing',
    t: at(700),
    capability: 'websocket',
    reason: '404',
    declare: 'x',
  };
  const entries = busy(work, workFailed('web-sockets', '404'), missing, ...exit(510, 0));
  const [one, other] = judgeHistory(history({ clauses: ['DRN-1', 'WSS-1'] }, ...entries));
  expect([one?.finding.outcome, other?.finding.outcome]).toEqual(['pass', 'not exercised']);
});
