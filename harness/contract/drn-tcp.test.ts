import { describe, expect, it } from 'vitest';
import { judgeHistory } from '../judge/judge-history.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import type { Entry, Setting } from '../judge/testing/history-builder.ts';
import { at, exit, history, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import { held, lost, workFailed } from '../judge/testing/work-builder.ts';
import { drn5 } from './drn-idle.ts';
import { drn6 } from './drn-stalled.ts';

/* Ports that speak neither HTTP nor TLS: nothing on them is admitted work, and none of it holds a stop. */

const run = (...entries: readonly Entry[]): readonly Entry[] => [ready(), ...signal(), ...entries];
const bare = (id: string): Entry => held(id, { over: 'tcp', admitted: false, ends: 'never' });

describe('DRN-5 over bare TCP', () => {
  const BASELINE: Setting = { preset: 'baseline' };
  const two: readonly Entry[] = [bare('idle-keep-alive-1'), bare('idle-keep-alive-2')];
  const closedBefore: readonly Entry[] = [bare('idle-keep-alive-1'), lost('idle-keep-alive-1', -50)];
  checkRows(drn5, [
    [
      'a quick stop with silent connections passes',
      'pass',
      run(...two, ...exit(12, 0)),
      /2 idle.*\(2 over tcp\)/,
      BASELINE,
    ],
    ['a stop that they hold fails', 'fail', run(...two, ...outerTimeout()), /still running.*2 over tcp/, BASELINE],
    [
      'a service that closes them by itself is not exercised',
      'not exercised',
      run(...closedBefore, ...exit(12, 0)),
      /closes a silent connection by itself/,
      BASELINE,
    ],
    [
      'beside HTTP ones that are open it does not matter',
      'pass',
      run(...closedBefore, held('idle-keep-alive-3', { admitted: false }), ...exit(12, 0)),
      /\(1 over http\)/,
      BASELINE,
    ],
  ]);

  it('speaks about a service without HTTP that holds silent connections', () => {
    const missing: Entry = {
      kind: 'capability.missing',
      t: at(700),
      capability: 'http',
      reason: 'no',
      declare: 'port: 1',
    };
    const literal = history({ ...BASELINE, clauses: ['DRN-5'] }, ready(), missing, ...two, ...signal(), ...exit(12, 0));
    expect(judgeHistory(literal)).toMatchObject([{ finding: { outcome: 'pass' } }]);
  });
});

describe('DRN-6 over bare TCP', () => {
  const half: Setting = { preset: 'baseline', values: { kind: 'half-sent' } };
  const socket = bare('stalled-1');
  checkRows(drn6, [
    ['an end by itself passes', 'pass', run(socket, ...exit(12, 0)), /half-sent socket.*never admitted/, half],
    ['one within the bound passes', 'pass', run(socket, ...exit(5000, 0)), /half-sent socket/, half],
    ['one past it fails', 'fail', run(socket, ...exit(15_000, 0)), /not below 10000 ms/, half],
    [
      'the outer timeout fails',
      'fail',
      run(socket, ...outerTimeout(11_000)),
      /half-sent socket held the process/,
      half,
    ],
    ['a status of its own fails', 'fail', run(socket, ...exit(12, 3)), /neither an accepted status/, half],
    [
      'a service that closes it by itself is not exercised',
      'not exercised',
      run(socket, lost('stalled-1', -50), ...exit(12, 0)),
      /closes a half-sent socket by itself/,
      half,
    ],
    [
      'nor is one that closes it at once',
      'not exercised',
      run(workFailed('stalled', 'the service closes a half-closed connection at once'), ...exit(12, 0)),
      /no half-closed socket was held/,
      { preset: 'baseline', values: { kind: 'half-closed' } },
    ],
    [
      'half a TLS handshake that was over before is still inconclusive',
      'inconclusive',
      run(socket, lost('stalled-1', -50), ...exit(12, 0)),
      /trigger never happened/,
      { preset: 'baseline', values: { kind: 'half-tls-handshake' } },
    ],
  ]);
});
