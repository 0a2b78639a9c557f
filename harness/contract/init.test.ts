import { describe } from 'vitest';
import { exit, gracefulStop, outerTimeout, ready, signal } from '../judge/testing/history-builder.ts';
import { checkRows } from '../judge/testing/clause-rows.suite.ts';
import { img5Init } from './init.ts';

describe('IMG-5-init', () => {
  checkRows(img5Init, [
    ['the same stop is recorded as a pass', 'pass', gracefulStop(), /exit 0 after 12 ms/],
    [
      'dying of the signal behind the init is said',
      'fail',
      [ready(), ...signal(), ...exit(9, 143)],
      /exit 143 .*not an accepted status/,
    ],
    ['a hang is said', 'fail', [ready(), ...signal(), ...outerTimeout()], /harness sent SIGKILL/],
    ['a slow stop is said', 'fail', [ready(), ...signal(), ...exit(1700, 0)], /not below 1000 ms/],
    ['at the bound is inconclusive', 'inconclusive', [ready(), ...signal(), ...exit(997, 0)], /inside/, {}, 'timing'],
    ['no signal is inconclusive', 'inconclusive', [ready()], /nothing was sent/],
    ['an unknown end is inconclusive', 'inconclusive', [ready(), ...signal()], /never confirmed/],
  ]);
});
