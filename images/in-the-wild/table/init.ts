import type { Case } from './case.ts';
import { accepts143, beside, sh } from './case.ts';

const parentAndChild = `${beside('worker on-TERM=wait:1000:0 last=flushed')}exec server`;
const crond = `${beside('worker on-TERM=exit:0 last=flushed')}exec server on-TERM=wait:500:0`;

/** Inits: what they signal, and what they wait for. */
export const init: readonly Case[] = [
  {
    id: 'INIT-01',
    title: 'tini -g leaves with its first child while a grandchild cleans up',
    command: ['/usr/bin/tini', '-g', '--', ...sh(parentAndChild)],
    given: { ...accepts143, patterns: { lastLine: '^flushed$' } },
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'IMG-6': 'fail', 'OBS-4': 'fail' },
    said: { 'IMG-6': /cut off by the end of PID 1: .*worker/ },
    why: 'all are told, and the one that needs a second is cut off',
  },
  {
    id: 'INIT-01',
    variant: 'strict',
    title: 'the same by the default policy',
    command: ['/usr/bin/tini', '-g', '--', ...sh(parentAndChild)],
    given: { patterns: { lastLine: '^flushed$' } },
    expected: { 'SIG-1': 'fail', 'IMG-6': 'not exercised', 'OBS-4': 'fail' },
    said: { 'SIG-1': /exit 143/ },
    why: '143 is not accepted unless it is declared',
  },
  {
    id: 'INIT-03',
    title: 'crond beside nginx behind tini, which signals only its child',
    command: ['/usr/bin/tini', '--', ...sh(crond)],
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'IMG-6': 'fail', 'OBS-4': 'pass' },
    said: { 'IMG-6': /cut off by the end of PID 1: .*worker/ },
    why: 'the one beside is never told',
  },
  {
    id: 'INIT-03',
    variant: 'session',
    title: 'the same behind dumb-init, which signals the session',
    command: ['/usr/bin/dumb-init', '--', ...sh(crond)],
    good: true,
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass' },
    why: 'both are told, and the one beside ends in time',
  },
  {
    id: 'INIT-04',
    title: '143 of a child without a handler, through dumb-init',
    command: ['/usr/bin/dumb-init', '--', '/usr/bin/server'],
    expected: { 'IMG-1': 'pass', 'IMG-2': 'pass', 'SIG-1': 'fail' },
    said: { 'SIG-1': /exit 143 .*not an accepted status/ },
    why: 'it died of the signal that was sent: no crash, and no handler ran',
  },
  {
    id: 'INIT-04',
    variant: 'accepted',
    title: 'the same with 143 declared',
    command: ['/usr/bin/dumb-init', '--', '/usr/bin/server'],
    given: accepts143,
    expected: { 'SIG-1': 'pass', 'IMG-6': 'pass' },
    why: 'whether 143 is good is a policy',
  },
  {
    id: 'INIT-05',
    title: 'HUP to a server that does not know it, as PID 1',
    command: ['/usr/bin/server', 'on-TERM=exit:0'],
    given: { stopSignal: 'HUP' },
    cells: ['signal/no-load:signal=HUP'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'fail' },
    said: { 'SIG-1': /still running/ },
    why: 'as PID 1 it is not affected',
  },
  {
    id: 'INIT-05',
    variant: 'init',
    title: 'the same behind an init',
    command: ['/usr/bin/tini', '--', '/usr/bin/server', 'on-TERM=exit:0'],
    given: { stopSignal: 'HUP' },
    cells: ['signal/no-load:signal=HUP'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'fail' },
    said: { 'SIG-1': /exit 129/ },
    why: 'behind an init the default action of the signal counts again',
  },
  {
    id: 'INIT-07',
    title: 'an init that is not PID 1',
    command: sh('dumb-init server on-TERM=exit:0; exit $?'),
    expected: { 'IMG-1': 'fail', 'IMG-2': 'fail', 'SIG-1': 'fail' },
    said: { 'IMG-1': /PID 1 sh \(shell\) stays in front: PID 1 sh \(shell\) -> PID \d+ dumb-init \(init\)/ },
    why: 'the shell in front of it forwards nothing',
  },
  ...(['tini', 'dumb-init', 'catatonit'] as const).map(
    (name): Case => ({
      id: 'INIT-07',
      variant: name,
      title: `${name} as PID 1`,
      command: [`/usr/bin/${name}`, '--', '/usr/bin/server', 'on-TERM=exit:0'],
      good: true,
      expected: { 'IMG-1': 'pass', 'IMG-2': 'pass', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass' },
      why: 'it forwards the signal, and passes on the status',
    }),
  ),
];
