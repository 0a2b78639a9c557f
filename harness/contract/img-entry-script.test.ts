import { describe } from 'vitest';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry } from '../judge/testing/history-builder.ts';
import {
  at,
  exit,
  outerTimeout,
  processFact as p,
  ready,
  signal,
  SIGNAL_AT,
  started,
  tree,
} from '../judge/testing/history-builder.ts';
import { img1, img5 } from './img.ts';
import { sig1 } from './sig.ts';

const shell = [p(1, 0, ['/bin/sh', '/start.sh']), p(2, 1, ['migrate'])];
/** PID 1 becomes another program so long after the usual signal. */
const becomes = (comm: string, afterMs: number, pid = 100): Entry => ({
  kind: 'process.exec',
  t: at(SIGNAL_AT + afterMs),
  pid,
  comm,
});
const early: readonly Entry[] = [started(), ready(), tree(shell)];
const STARTING = /PID 1 was sh \(shell\) when it was taken for ready, and became server 3[45]90 ms later/;

describe('an entry script that still runs when a service is taken for ready', () => {
  checkRows(img1, [
    ['does not stay in front', 'inconclusive', [...early, ...signal(), becomes('server', 3000)], STARTING],
    [
      'does not by the processes that are seen later',
      'inconclusive',
      [...early, ...signal(), tree([p(1, 0, ['server'])], 'during-stop', SIGNAL_AT + 3000)],
      STARTING,
    ],
    ['does where it is still there', 'fail', [...early, ...signal(), ...outerTimeout()], /sh \(shell\) stays/],
    ['does where it becomes a shell again', 'fail', [...early, becomes('bash', 9)], /sh \(shell\) stays/],
    ['does where only a child becomes something', 'fail', [...early, becomes('job', 9, 101)], /sh \(shell\) stays/],
  ]);
  checkRows(sig1, [
    [
      'loses a signal that was no signal to the service',
      'inconclusive',
      [...early, ...signal(), becomes('server', 3000), ...outerTimeout()],
      STARTING,
    ],
    ['fails where it stays', 'fail', [...early, ...signal(), ...outerTimeout()], /harness sent SIGKILL/],
    [
      'is no excuse for a service that was there and runs itself again',
      'fail',
      [started(), ready(), tree([p(1, 0, ['uwsgi'])]), ...signal(), becomes('uwsgi', 90), ...outerTimeout()],
      /harness sent SIGKILL/,
    ],
  ]);
  checkRows(img5, [
    [
      "loses the engine's own stop too",
      'inconclusive',
      [
        ...early,
        { kind: 'stop.called', t: at(SIGNAL_AT), mode: 'default', timeoutS: 10 },
        becomes('server', 3000),
        ...exit(10_010, 137),
      ],
      STARTING,
      { values: { timeout: 'default' } },
    ],
  ]);
});
