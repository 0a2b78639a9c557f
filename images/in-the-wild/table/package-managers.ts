import type { Case } from './case.ts';
import { accepts143, node, sh } from './case.ts';

const npm = ['/usr/bin/node', '/usr/lib/npm/bin/npm-cli.js'];
const yarn = ['/usr/bin/node', '/app/node_modules/yarn/bin/yarn.js'];
const berry = ['/usr/bin/node', '/app/node_modules/@yarnpkg/cli-dist/bin/yarn.js'];
const pnpm = ['/usr/bin/node', '/app/node_modules/pnpm/bin/pnpm.cjs'];
const busy = ['signal/no-load:signal=TERM', 'drain/many-requests'];

/** Launchers of package managers in front. */
export const packageManagers: readonly Case[] = [
  {
    id: 'PM-01',
    title: 'npm start, a shell, and a server that drains',
    command: [...npm, 'start'],
    given: { port: 8080 },
    cells: busy,
    expected: { 'IMG-1': 'fail', 'SIG-1': 'fail', 'OBS-4': 'fail', 'DRN-1': 'fail' },
    said: { 'IMG-1': /npm \(launcher\) stays in front: .*sh \(shell\) -> PID \d+ server/ },
    why: 'npm leaves as soon as its shell has gone: the server is cut off in its drain',
  },
  {
    id: 'PM-04',
    title: 'yarn 1',
    command: [...yarn, 'run', 'start'],
    given: { port: 8080 },
    cells: busy,
    expected: { 'IMG-1': 'fail', 'SIG-1': 'fail', 'OBS-4': 'fail', 'DRN-1': 'fail' },
    why: 'yarn leaves first',
  },
  {
    id: 'PM-05',
    title: 'yarn 4, which stays and passes the signal on',
    command: sh(`cd /berry && ${berry.join(' ')} install > /dev/null && exec ${berry.join(' ')} run start`),
    given: { port: 8080 },
    cells: busy,
    expected: { 'IMG-1': 'fail', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass', 'DRN-1': 'pass' },
    why: 'of this version nothing is lost; that a launcher stands in front is still to be told',
  },
  {
    id: 'PM-06',
    title: 'pnpm in front of a server with a status of its own, 123',
    command: [...pnpm, 'run', 'distinct'],
    given: { acceptedStatuses: [{ status: 123, reason: 'what the server exits with' }] },
    expected: { 'IMG-1': 'fail', 'SIG-1': 'fail', 'OBS-4': 'fail' },
    said: { 'SIG-1': /exit 1 / },
    why: 'pnpm leaves at once with a status of its own: that of the server is lost, and its last line',
  },
  {
    id: 'PM-07',
    title: 'go run behind dumb-init (played): the whole session is told, and go leaves first',
    command: [
      ...['/usr/bin/dumb-init', '/usr/bin/go', 'says=started', '--'],
      ...['server', 'late=100', 'on-TERM=wait:1000:0'],
    ],
    given: accepts143,
    expected: { 'IMG-1': 'fail', 'SIG-1': 'pass', 'IMG-6': 'fail', 'OBS-4': 'fail' },
    said: { 'IMG-6': /cut off by the end of PID 1: .*server/ },
    why: 'the init waits for go, which has no handler; the server is cut off',
  },
  {
    id: 'PM-08',
    title: 'npm behind dumb-init, which tells the whole session',
    command: ['/usr/bin/dumb-init', ...npm, 'start'],
    expected: { 'IMG-1': 'fail' },
    said: { 'IMG-1': /npm \(launcher\) stays in front: PID 1 dumb-init \(init\) -> / },
    why: 'who leaves first ends the container: what is lost differs from run to run, and only the tree is certain',
  },
  {
    id: 'PM-09',
    title: 'a watcher of the development in front (played)',
    command: node(
      'require("node:child_process").spawn("server", ["on-TERM=exit:0"], { stdio: "inherit" }).once("exit", () => process.exit(0));',
    ),
    expected: { 'SIG-1': 'fail', 'IMG-2': 'fail' },
    why: 'it handles no signal, and nothing tells that Node is not the service itself',
  },
  {
    id: 'PM-09',
    variant: 'direct',
    title: 'the server without anything in front',
    command: ['/usr/bin/server', 'port=8080', 'on-TERM=drain:2000:0'],
    given: { port: 8080 },
    cells: busy,
    good: true,
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass', 'DRN-1': 'pass' },
    why: 'what the launchers above cut off completes',
  },
];
