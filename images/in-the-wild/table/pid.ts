import type { Case } from './case.ts';
import { node } from './case.ts';

const exporter = {
  command: ['/usr/bin/prometheus-process-exporter'],
  given: { ready: { kind: 'tcp', port: 9256, origin: 'profile' }, patterns: {} },
} as const;
const keepsAlive = 'setInterval(() => undefined, 1000); console.log("ready");';
const flushes = 'process.on("exit", () => console.log("flushed"));';
const endsItself = `${flushes} process.once("SIGTERM", () => { console.log("cleaned up"); process.kill(process.pid, "SIGTERM"); }); ${keepsAlive}`;
const flushed = { patterns: { lastLine: '^flushed$' } };

/** PID 1 has no default action: without a handler the kernel drops the signal. */
export const pid: readonly Case[] = [
  {
    id: 'PID-01',
    title: 'Node without a listener for the signal',
    command: node(keepsAlive),
    expected: { 'IMG-1': 'pass', 'IMG-2': 'fail', 'SIG-1': 'fail', 'IMG-6': 'not exercised' },
    said: { 'SIG-1': /the harness sent SIGKILL/ },
    why: 'the signal has no effect, whatever the mask says',
  },
  {
    id: 'PID-02',
    title: 'a server that blocks in accept and catches nothing',
    command: ['/usr/bin/server', 'port=8080'],
    expected: { 'IMG-1': 'pass', 'IMG-2': 'fail', 'SIG-1': 'fail' },
    said: { 'IMG-2': /SigCgt 0, SigIgn 0, SigBlk 0/ },
    why: 'the masks, read before the signal, explain it',
  },
  {
    id: 'PID-03',
    title: 'a runtime that relies on the default action, as a differential with an init',
    command: ['/usr/bin/server', 'on-QUIT=exit:0', 'on-USR1=note'],
    cells: ['signal/no-load:signal=TERM', 'image/engine-init'],
    expected: { 'SIG-1': 'fail', 'IMG-5-init': 'fail' },
    said: { 'SIG-1': /still running/, 'IMG-5-init': /exit 143/ },
    why: 'behind an init the same program dies at once of the signal: it does not hang, it has no handler',
  },
  {
    id: 'PID-04',
    title: 'a Go program without handlers',
    ...exporter,
    cells: ['signal/no-load:signal=TERM', 'image/engine-init'],
    expected: { 'IMG-1': 'pass', 'IMG-2': 'pass', 'SIG-1': 'fail', 'IMG-5-init': 'fail' },
    said: { 'SIG-1': /exit 2 .*not an accepted status/, 'IMG-5-init': /exit 143/ },
    why: 'as PID 1 the Go runtime cannot end itself by the signal and falls through to status 2: quick, and not accepted',
  },
  {
    id: 'PID-04',
    variant: 'accepted',
    title: 'the same with its status declared',
    ...exporter,
    given: { ...exporter.given, acceptedStatuses: [{ status: 2, reason: 'Go without a handler, as PID 1' }] },
    expected: { 'SIG-1': 'pass', 'IMG-6': 'pass' },
    why: 'which status is good is a policy',
  },
  {
    id: 'PID-06',
    title: 'a shutdown hook that sends itself the signal',
    command: node(endsItself),
    given: flushed,
    expected: { 'SIG-1': 'fail', 'OBS-4': 'not exercised' },
    said: { 'SIG-1': /still running/ },
    why: 'as PID 1 the second signal is inert, and the process stays',
  },
  {
    id: 'PID-06',
    variant: 'init',
    title: 'the same behind an init',
    command: ['/usr/bin/tini', '--', ...node(endsItself)],
    given: flushed,
    expected: { 'SIG-1': 'fail', 'OBS-4': 'fail' },
    said: { 'SIG-1': /exit 143/ },
    why: 'it dies of its own signal, and the hook that flushes never runs',
  },
  {
    id: 'PID-06',
    variant: 'listener',
    title: 'a listener that its own framework runs twice',
    command: node(
      `${flushes} let runs = 0; process.on("SIGTERM", () => { console.log("listener ran"); if (++runs === 2) process.reallyExit(0); }); process.once("SIGTERM", () => process.kill(process.pid, "SIGTERM")); ${keepsAlive}`,
    ),
    given: flushed,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'fail' },
    why: 'exit 0, and the last line is lost',
  },
  {
    id: 'PID-06',
    variant: 'exits',
    title: 'hooks that end with an exit',
    command: node(`${flushes} process.once("SIGTERM", () => process.exit(0)); ${keepsAlive}`),
    given: flushed,
    good: true,
    expected: { 'IMG-1': 'pass', 'IMG-2': 'pass', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass' },
    why: 'the hook that flushes runs before the end',
  },
  {
    id: 'PID-07',
    title: 'PID 1 sends itself SIGKILL, and exits 0',
    command: ['/usr/bin/server', 'on-TERM=kill-self'],
    good: true,
    expected: { 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass' },
    why: 'PID 1 cannot be killed from inside its own namespace: nothing was killed',
  },
  {
    id: 'PID-09',
    title: 'sleep as PID 1',
    command: ['/usr/bin/sleep', '1000'],
    given: { ready: { kind: 'settled', afterMs: 300, origin: 'profile' }, patterns: {} },
    expected: { 'IMG-1': 'pass', 'IMG-2': 'fail', 'SIG-1': 'fail' },
    why: 'it has no handler, on both engines alike: no engine is to blame',
  },
  {
    id: 'PID-10',
    title: 'a stop signal of KILL for a server without handlers',
    command: ['/usr/bin/server', 'port=8080'],
    given: { stopSignal: 'KILL' },
    cells: ['signal/no-load:signal=KILL'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'fail' },
    why: 'a SIGKILL that was asked for is a SIGKILL: it is quick and graceful for nobody',
  },
];
