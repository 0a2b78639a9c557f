import { describe } from 'vitest';
import type { Draft } from '../model/observation.ts';
import { at, exit, ready, signal, SIGNAL_AT } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { answered, finished, held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { drn7 } from './drn-http2.ts';

const goaway = (id: string, afterMs = 2): Draft => ({
  kind: 'h2.goaway',
  t: at(SIGNAL_AT + afterMs),
  id,
  code: 0,
  lastStream: 7,
});
const session = (id: string): Entry => held(id, { over: 'h2', admitted: false, ends: 'never' });
const asked = (fate: Draft): Draft => ({ ...fate, begin: at(SIGNAL_AT + 50) });
const held2: readonly Entry[] = [
  session('h2-session-1'),
  session('h2-session-2'),
  held('h2-stream-1', { over: 'h2' }),
  finished('h2-stream-1', 400),
];
const told: readonly Entry[] = [goaway('h2-session-1'), goaway('h2-session-2')];
const streamed = answered('h2-stream-1', 403, { headers: {} });
const refused = asked(lost('h2-new-stream-1', 51, 'refused'));
const over: readonly Entry[] = [lost('h2-session-1', 404), lost('h2-session-2', 5), ...exit(410, 0)];
const run = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries, ...over];

describe('DRN-7', () => {
  checkRows(drn7, [
    [
      'GOAWAY, whole streams and refusals pass',
      'pass',
      run(...held2, ...told, streamed, refused),
      /GOAWAY on 2 session\(s\); all 1 streams .*; 1 new stream\(s\) refused/,
    ],
    [
      'a new stream that got 503 was turned away too',
      'pass',
      run(...held2, ...told, streamed, asked(answered('h2-new-stream-1', 52, { status: 503 }))),
      /1 new stream\(s\) refused/,
    ],
    [
      'a session without GOAWAY fails',
      'fail',
      run(...held2, goaway('h2-session-1'), streamed, refused),
      /1 of 2 sessions got no GOAWAY; h2-session-2 was closed 5 ms/,
    ],
    [
      'GOAWAY after the end of a session is none',
      'fail',
      run(...held2, goaway('h2-session-1'), goaway('h2-session-2', 9), streamed, refused),
      /1 of 2 sessions/,
    ],
    [
      'a session that had GOAWAY before the signal is none of it',
      'pass',
      run(...held2, goaway('h2-session-1'), goaway('h2-session-2', -50), streamed, refused),
      /GOAWAY on 1 session/,
    ],
    [
      'a stream that is reset fails',
      'fail',
      run(...held2, ...told, lost('h2-stream-1', 3, 'reset'), refused),
      /1 of 1 streams in flight .*reset 3 ms/,
    ],
    [
      'a stream that gets 503 fails',
      'fail',
      run(...held2, ...told, answered('h2-stream-1', 403, { status: 503 }), refused),
      /503 instead of 200/,
    ],
    [
      'a new stream that is served fails',
      'fail',
      run(...held2, ...told, streamed, asked(answered('h2-new-stream-1', 52))),
      /1 of 1 new streams after GOAWAY were served \(h2-new-stream-1: 200\)/,
    ],
    [
      'a stream that was asked for before GOAWAY may be served',
      'inconclusive',
      run(...held2, ...told, streamed, { ...answered('h2-new-stream-1', 52), begin: at(SIGNAL_AT + 1) }),
      /no new stream was asked for/,
    ],
    [
      'a new stream with another status says nothing',
      'inconclusive',
      run(...held2, ...told, streamed, asked(answered('h2-new-stream-1', 52, { status: 404 }))),
      /got 404/,
    ],
    [
      'a stream without a fate on record is inconclusive',
      'inconclusive',
      run(...held2, ...told, refused),
      /nothing is on record/,
    ],
    [
      'sessions that had ended before the signal are inconclusive',
      'inconclusive',
      [ready(), ...signal(), session('h2-session-1'), lost('h2-session-1', -50), ...exit(12, 0)],
      /no HTTP\/2 session was open/,
    ],
    [
      'none that could be held is not exercised',
      'not exercised',
      [ready(), workFailed('http2-sessions', 'no ALPN'), ...signal(), ...exit(12, 0)],
      /no ALPN/,
    ],
    ['no signal is inconclusive', 'inconclusive', [ready(), ...held2], /never happened/],
  ]);
});
