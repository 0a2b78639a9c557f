import type { Case } from './case.ts';

const cuts = ['/usr/bin/server', 'port=8080', 'on-TERM=cut:0', 'on-QUIT=drain:3000:0'];
const waitsForClients = ['/usr/bin/server', 'port=8080', 'on-TERM=idle:60000:0', 'on-INT=exit:0'];
const knowsTerm = ['/usr/bin/server', 'on-TERM=exit:0'];
const busy = (signal: string): readonly string[] => [`signal/no-load:signal=${signal}`, 'drain/many-requests'];
const silent = 'drain/stalled:kind=silent';
const http = { port: 8080 };

/** Stop signals that mean something else than a graceful stop. The real servers are in images/gallery. */
export const stopSignals: readonly Case[] = [
  {
    id: 'SIG-01',
    title: 'TERM means fast, as nginx has it (played)',
    command: cuts,
    given: http,
    cells: busy('TERM'),
    expected: { 'IMG-3': 'pass', 'SIG-1': 'pass', 'DRN-1': 'fail' },
    why: 'quick and exit 0: only work in flight shows that it is cut',
  },
  {
    id: 'SIG-01',
    variant: 'quit',
    title: 'QUIT means graceful',
    command: cuts,
    given: { ...http, stopSignal: 'QUIT' },
    cells: busy('QUIT'),
    expected: { 'IMG-3': 'fail', 'SIG-1': 'pass', 'DRN-1': 'pass', 'OBS-4': 'pass' },
    why: 'work in flight completes; that the stop signal is not TERM is to be told',
  },
  {
    id: 'SIG-02',
    title: 'an image without a stop signal of its own',
    command: knowsTerm,
    good: true,
    expected: { 'IMG-3': 'pass', 'SIG-1': 'pass', 'OBS-4': 'pass' },
    said: { 'IMG-3': /SIGTERM \(.*default\)/ },
    why: 'what counts, and where it comes from, is shown',
  },
  {
    id: 'SIG-03',
    title: 'TERM waits for clients, as PostgreSQL has it (played)',
    command: waitsForClients,
    given: http,
    cells: ['signal/no-load:signal=TERM', silent],
    expected: { 'SIG-1': 'pass', 'DRN-6': 'fail' },
    why: 'without clients it stops at once; one that says nothing holds it for ever',
  },
  {
    id: 'SIG-03',
    variant: 'int',
    title: 'INT does not wait for them',
    command: waitsForClients,
    given: { ...http, stopSignal: 'INT' },
    cells: ['signal/no-load:signal=INT', silent],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'pass', 'DRN-6': 'pass' },
    why: 'the fast, clean stop',
  },
  {
    id: 'SIG-09',
    title: 'a soft stop without a bound, as haproxy has it (played)',
    command: ['/usr/bin/server', 'port=8080', 'on-USR1=drain:60000:0', 'on-TERM=cut:0'],
    given: { ...http, stopSignal: 'USR1' },
    cells: [...busy('USR1'), 'drain/stalled:kind=half-body'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'pass', 'DRN-1': 'pass', 'DRN-6': 'fail' },
    why: 'work completes, and one connection that does not go on holds it for ever',
  },
  {
    id: 'SIG-12',
    title: 'QUIT for a program that knows only TERM',
    command: knowsTerm,
    given: { stopSignal: 'QUIT' },
    cells: ['signal/no-load:signal=QUIT'],
    expected: { 'IMG-2': 'fail', 'IMG-3': 'fail', 'SIG-1': 'fail' },
    said: { 'SIG-1': /still running .*after SIGQUIT/ },
    why: 'the signal was copied from another image',
  },
  {
    id: 'SIG-12',
    variant: 'term',
    title: 'TERM for it',
    command: knowsTerm,
    good: true,
    expected: { 'IMG-2': 'pass', 'IMG-3': 'pass', 'SIG-1': 'pass' },
    why: 'the control run',
  },
  {
    id: 'SIG-14',
    title: 'INT is ignored by design, as MySQL has it (played)',
    command: ['/usr/bin/server', 'on-INT=ignore', 'on-TERM=exit:0'],
    cells: ['signal/no-load:signal=TERM', 'signal/no-load:signal=INT'],
    expected: { 'IMG-3': 'pass', 'SIG-1': 'pass', 'SIG-2': 'fail' },
    why: 'of a stranger INT is recorded only: its failure fails no run',
  },
];
