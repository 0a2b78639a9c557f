import type { Case } from './case.ts';
import { bash, sh } from './case.ts';

/** Signals during the start. */
export const startUp: readonly Case[] = [
  {
    id: 'START-01',
    title: 'an entry script that sets up for three seconds, then the server',
    command: bash('sleep 3; exec server on-TERM=exit:0'),
    cells: ['signal/no-load:signal=TERM', 'startup/sweep:offset=1500ms'],
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'STA-9': 'fail', 'OBS-4': 'pass' },
    said: { 'STA-9': /bash/ },
    why: 'once it is ready all is well; what is sent before reaches a script without a trap, and the server starts anyway',
  },
  {
    id: 'START-04',
    title: 'ready before its handlers are installed',
    command: sh('echo ready; exec server says=up late=1500 on-TERM=exit:0'),
    cells: ['startup/signal-at-ready'],
    expected: { 'STA-1': 'fail' },
    said: { 'STA-1': /after readiness was lost/ },
    why: 'a signal in that time is dropped',
  },
  {
    id: 'START-05',
    title: 'handlers at once',
    command: ['/usr/bin/server', 'on-TERM=exit:0'],
    cells: ['startup/signal-at-ready', 'startup/sweep:offset=1500ms'],
    good: true,
    expected: { 'STA-1': 'pass', 'STA-9': 'pass' },
    why: 'between the start of a process and its first instructions no program can do anything',
  },
];
