import { describe } from 'vitest';
import { exit, processFact as p, ready, signal, SIGNAL_AT, tree } from '../judge/testing/history-builder.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import type { ProcessFact } from '../model/observation.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { img4, img4Init } from './img-zombies.ts';

const service = p(1, 0, ['/server']);
const worker = p(2, 1, ['worker']);
const zombie = (nsPid = 3): ProcessFact => p(nsPid, 1, [], { comm: 'hook', state: 'Z' });
const atRest = (...list: readonly ProcessFact[]): Entry => tree(list);
const beforeSignal = (...list: readonly ProcessFact[]): Entry => ({
  kind: 'processes',
  t: 900e6,
  moment: 'before-signal',
  list,
});
const during = (afterMs: number, ...list: readonly ProcessFact[]): Entry =>
  tree(list, 'during-stop', SIGNAL_AT + afterMs);
const stopped = (atReady: Entry, ...entries: readonly Entry[]): readonly Entry[] => [
  ready(),
  atReady,
  ...signal(),
  ...entries,
  ...exit(400, 0),
];

describe('IMG-4', () => {
  checkRows(img4, [
    ['no zombie passes', 'pass', stopped(atRest(service, worker), during(1, service, worker)), /no zombie in 2/],
    [
      'a zombie at readiness fails',
      'fail',
      stopped(atRest(service, zombie()), during(1, service)),
      /while it ran: hook \(pid 102\)/,
    ],
    [
      'a zombie before the signal fails',
      'fail',
      stopped(atRest(service), beforeSignal(service, zombie()), during(1, service)),
      /while it ran/,
    ],
    ['a zombie at readiness fails without a signal', 'fail', [ready(), atRest(service, zombie())], /while it ran/],
    [
      'a zombie that lasts in the stop fails',
      'fail',
      stopped(atRest(service), during(1, service, zombie()), during(21, service, zombie())),
      /at least 20 ms of the stop: hook/,
    ],
    [
      'one that may be about to be reaped passes',
      'pass',
      stopped(atRest(service), during(1, service, zombie()), during(20, service, zombie()), during(40, service)),
      /but for hook \(pid 102\) in one sample/,
    ],
    [
      'two that follow each other are not one that lasts',
      'pass',
      stopped(atRest(service), during(1, service, zombie(3)), during(31, service, zombie(4))),
      /in one sample/,
    ],
    [
      'one that went and another with its pid later are not one',
      'pass',
      stopped(atRest(service), during(1, service, zombie()), during(11, service), during(31, service, zombie())),
      /in one sample/,
    ],
    [
      'PID 1 as a zombie is its own end',
      'pass',
      stopped(atRest(service), during(1, service), during(60, p(1, 0, [], { state: 'Z' }), zombie())),
      /no zombie in 2/,
    ],
    [
      'PID 1 on its way out takes its children with it',
      'pass',
      stopped(atRest(service), during(1, service), ...[60, 90].map((ms) => during(ms, p(1, 0, []), zombie()))),
      /no zombie in 2/,
    ],
    [
      'what its end leaves behind is not its zombie',
      'pass',
      stopped(
        atRest(service),
        during(1, service),
        during(401, service, zombie()),
        during(450, service, zombie()),
        during(480, zombie()),
      ),
      /no zombie in 2/,
    ],
    [
      'a stop too short to be sampled passes',
      'pass',
      [ready(), atRest(service), ...signal(), ...exit(12, 0)],
      /over in 12 ms/,
    ],
    [
      'a long stop that nobody sampled is inconclusive, and measured again',
      'inconclusive',
      stopped(atRest(service)),
      /during the stop/,
      {},
      'timing',
    ],
    [
      'no look before the signal is inconclusive',
      'inconclusive',
      [ready(), ...signal(), during(1, service), ...exit(400, 0)],
      /before the signal/,
    ],
    ['no look at all is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(400, 0)], /before the signal/],
    ['no signal is inconclusive', 'inconclusive', [ready(), atRest(service)], /nothing was sent/],
  ]);
});

describe('IMG-4-init', () => {
  const init = p(1, 0, ['/sbin/docker-init', '--', '/server']);
  checkRows(img4Init, [
    [
      'no zombie behind an init passes',
      'pass',
      stopped(atRest(init, worker), during(1, init, worker)),
      /no zombie in 2/,
    ],
    [
      'a zombie behind an init fails',
      'fail',
      stopped(atRest(init, worker, p(3, 2, [], { comm: 'hook', state: 'Z' })), during(1, init)),
      /while it ran: hook/,
    ],
    [
      'podman’s init is one',
      'fail',
      stopped(atRest(p(1, 0, ['/run/podman-init', '--', '/server']), zombie()), during(1, init)),
      /while it ran/,
    ],
    [
      'without an init it is not exercised, zombie or not',
      'not exercised',
      stopped(atRest(service, zombie()), during(1, service)),
      /PID 1 server is no init/,
    ],
    ['no process tree is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(400, 0)], /before the signal/],
  ]);
});
