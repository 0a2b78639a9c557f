import { describe, expect, it } from 'vitest';
import {
  at,
  exit,
  GRACEFUL,
  line,
  logComplete,
  outerTimeout,
  processFact,
  ready,
  signal,
  SIGNAL_AT,
} from '../judge/testing/history-builder.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import type { Row } from '../judge/testing/judge-clause.ts';
import { judgeClause } from '../judge/testing/judge-clause.ts';
import {
  deaf,
  heldStart,
  hears,
  pending,
  released,
  seenAs,
  session,
  startedBefore,
  told,
} from '../judge/testing/start-up-builder.ts';

const alone: Setting = { cell: { lane: 'alone' } };
const baseline: Setting = { preset: 'baseline' };
const held = heldStart();
/** Started, heard, and nothing that holds it: a cell of the sweep. */
const swept: readonly Entry[] = [startedBefore(60), seenAs(hears)];
/** An init, which blocks all signals and waits for them, and the service as its child. */
const behindInit = (service: typeof hears): Entry => ({
  kind: 'processes',
  t: at(SIGNAL_AT - 3),
  moment: 'before-signal',
  list: [
    processFact(1, 0, ['tini', '--'], { blocked: '7ffbfeff' }),
    processFact(2, 1, service.args, { caught: service.caught }),
  ],
});
const expiredLog = 'light-runtime: shutdown completed outcome=deadline-exceeded';
/** A partial registration, whose goodbye nobody answers. */
const unanswered = [...heldStart('registration'), ...[signal()], told('service/deregister', 2)];

const rows: readonly Row[] = [
  [
    'a start that waits for a silent config server and ends at once passes, and that is said',
    'pass',
    [...held, signal(), exit(20, 0)],
    /^SIGTERM 600\.\.662 ms .*\[server\], while it waited for the config server: exit 0 after 20 ms/,
  ],
  [
    'so does one that waits for the controller',
    'pass',
    [...heldStart('registration'), signal(), exit(20, 0)],
    /while it waited for the controller: exit 0/,
  ],
  [
    'and one that nothing holds',
    'pass',
    [...swept, signal(), exit(20, 0)],
    /^SIGTERM 60\.\.122 ms after the start of PID 1 \[server\]: exit 0 after 20 ms/,
  ],
  [
    'a signal that it can hear and that has no effect while a peer holds it fails',
    'fail',
    [...held, signal(), seenAs(hears, 40), outerTimeout(3000)],
    /config server had no effect: still running 2998 ms later, although it has a handler/,
  ],
  [
    'one that comes before there is a handler is for the deaf window to tell',
    'not exercised',
    [...startedBefore(), pending(), seenAs(deaf), signal(), outerTimeout(3000)],
    /no handler for it yet \(STA-9\)/,
  ],
  [
    'a handler that is gone after it may have been the runtime’s own',
    'inconclusive',
    [...held, signal(), seenAs(deaf, 40), outerTimeout(3000)],
    /whether PID 1 had a handler of its own for it is not known/,
  ],
  [
    'so may one that nobody saw',
    'inconclusive',
    [...startedBefore(), pending(), signal(), outerTimeout(3000)],
    /is not known/,
  ],
  [
    'a SIGKILL of the harness before the floor proves nothing',
    'inconclusive',
    [...held, signal(), seenAs(hears, 40), outerTimeout(200)],
    /longer outer timeout/,
  ],
  ['exit 1 fails', 'fail', [...held, signal(), exit(20, 1)], /exit 1: not an accepted status/],
  ['an end by the signal’s own action with a handler fails', 'fail', [...held, signal(), exit(20, 143)], /exit 143/],
  [
    'without one it came before the handlers',
    'not exercised',
    [...startedBefore(60), signal(), exit(20, 143)],
    /exit 143, the signal's own action/,
  ],
  [
    'behind an init that takes every signal it is the service that has none yet',
    'not exercised',
    [...startedBefore(), pending(), behindInit(deaf), signal(), exit(20, 143)],
    /exit 143, the signal's own action/,
  ],
  [
    'and with one it fails',
    'fail',
    [...startedBefore(), pending(), behindInit(hears), signal(), exit(20, 143)],
    /exit 143: not an accepted status/,
  ],
  ['an abort beyond the floor fails', 'fail', [...held, signal(), exit(700, 0)], /not below 300 ms/, alone],
  [
    'beside others it is to be measured again, however long it took: what they starve is slow',
    'inconclusive',
    [...held, signal(), exit(700, 0)],
    /measured beside others/,
  ],
  [
    'a limit inside the uncertainty decides nothing',
    'inconclusive',
    [...held, signal(), exit(299, 0)],
    /lies inside it/,
    alone,
  ],
  [
    'where nothing held the start a slower end may have been the stop of a ready service',
    'not exercised',
    [...swept, signal(), exit(700, 0)],
    /exit 0 after 700 ms .*whether it was ready by then is not known/,
  ],
  [
    'beyond what a stop may take it fails there too',
    'fail',
    [...swept, signal(), exit(3200, 0)],
    /not below 300 ms/,
    alone,
  ],
  [
    'readiness before the signal leaves nothing to abort',
    'not exercised',
    [...swept, ready(SIGNAL_AT - 9), signal(), exit(20, 0)],
    /did not come before readiness/,
  ],
  [
    'readiness in the same instant neither',
    'not exercised',
    [...swept, signal(), ready(SIGNAL_AT + 20), exit(40, 0)],
    /ready in the same instant/,
  ],
  [
    'coming up first fails, whatever follows',
    'fail',
    [...held, signal(), ready(SIGNAL_AT + 800), exit(820, 0)],
    /came up first: ready at least 800 ms after the signal/,
    alone,
  ],
  [
    'beside others it is to be looked at again',
    'inconclusive',
    [...held, signal(), ready(SIGNAL_AT + 800), exit(820, 0)],
    /came up first.*measured beside others/,
  ],
  [
    'readiness inside the floor is no more than the same instant',
    'not exercised',
    [...held, signal(), ready(SIGNAL_AT + 120), exit(150, 0)],
    /ready in the same instant \(122 ms after it\)/,
    alone,
  ],
  [
    'a loss in the sweep is for the deaf window to tell',
    'not exercised',
    [
      startedBefore(60),
      seenAs(deaf),
      ...[signal()],
      seenAs(deaf, 1),
      ready(SIGNAL_AT + 800),
      seenAs(hears, 1700),
      signal('TERM', SIGNAL_AT + 1800, 'script', 2),
      exit(1812, 0),
    ],
    /was lost \(no handler/,
  ],
  [
    'exit 1 after a goodbye that used up the floor passes where the log says so',
    'pass',
    [...unanswered, line(240, expiredLog), exit(252, 1), logComplete()],
    /exit 1 after 252 ms .*goodbye was never answered; outcome deadline-exceeded, exit 1/,
  ],
  [
    'and fails where the log says otherwise',
    'fail',
    [...unanswered, line(240, GRACEFUL), exit(252, 1), logComplete()],
    /outcome graceful, exit 1: they contradict/,
  ],
  [
    'and beyond the floor, whatever the log says',
    'fail',
    [...unanswered, line(490, expiredLog), exit(500, 1), logComplete()],
    /exit 1 after 500 ms .*not below 300 ms/,
    alone,
  ],
  [
    'exit 0 after it needs no such excuse',
    'pass',
    [...unanswered, session('closed', 240), exit(252, 0)],
    /exit 0 after 252 ms/,
  ],
  [
    'one that had ended before the signal tells nothing',
    'inconclusive',
    [...held, exit(-20, 1)],
    /had ended by itself/,
  ],
  [
    'a peer that was released holds nothing any more',
    'not exercised',
    [...heldStart('registration'), released(), signal(), exit(700, 0)],
    /whether it was ready by then/,
  ],
  [
    'an emulated image proves nothing about time',
    'inconclusive',
    [...held, signal(), exit(700, 0)],
    /emulated/,
    { ...alone, architecture: 'amd64', image: { architecture: 'arm64' } },
  ],
  [
    'in baseline an accepted status in the time of a stop passes',
    'pass',
    [...swept, signal(), exit(3200, 0)],
    /exit 0/,
    baseline,
  ],
];

describe('STA-2', () => {
  for (const [promise, outcome, entries, seen, setting = {}] of rows) {
    it(promise, () => {
      const { timing: _, ...finding } = judgeClause('STA-2', setting, entries);
      expect(finding).toMatchObject({ outcome, seen: expect.stringMatching(seen) });
    });
  }

  it('is measured again only where time is what is in doubt', () => {
    const timing = (entries: readonly Entry[]) => judgeClause('STA-2', {}, entries).timing ?? false;
    expect(timing([...held, signal(), exit(330, 0)])).toBe(true);
    expect(timing([...held, signal(), ready(SIGNAL_AT + 800), exit(820, 0)])).toBe(true);
    expect(timing([...startedBefore(), pending(), signal(), outerTimeout(3000)])).toBe(false);
  });

  it('shows no change along a sweep, so that it adds no cells', () => {
    const shown = [20, 700].map((ms) => judgeClause('STA-2', {}, [...swept, signal(), exit(ms, 0)]).swept?.shows);
    expect(shown).toEqual(['sent', 'sent']);
  });
});
