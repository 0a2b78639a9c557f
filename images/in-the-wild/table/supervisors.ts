import type { Case } from './case.ts';
import { sh } from './case.ts';

const supervise = (script: string): readonly string[] => ['/usr/bin/s6-svscan', '-c', script];
const quits = ['/usr/bin/server', 'on-QUIT=ignore', 'on-TERM=exit:0'];
const reexecutes = ['/usr/bin/server', 'on-TERM=reexec', 'on-HUP=exit:0'];

/** Supervisors and init systems, played by a shell under their name, but for the Go program. */
export const supervisors: readonly Case[] = [
  {
    id: 'SUP-02',
    title: 'a fixed delay when everything has ended',
    command: supervise(
      "server on-TERM=exit:0 & app=$!; trap 'kill $app; wait $app; sleep 1.2; exit 0' TERM; wait $app; wait",
    ),
    expected: { 'IMG-1': 'pass', 'SIG-1': 'pass', 'SIG-1-fast': 'fail', 'IMG-6': 'pass', 'OBS-4': 'pass' },
    why: 'within the bound, beyond the goal: nothing works in the tail of it',
  },
  {
    id: 'SUP-03',
    title: 'a stop signal of QUIT that PID 1 ignores',
    command: quits,
    given: { stopSignal: 'QUIT' },
    cells: ['signal/no-load:signal=QUIT'],
    expected: { 'IMG-2': 'fail', 'IMG-3': 'fail', 'SIG-1': 'fail' },
    said: { 'IMG-2': /SIGQUIT had no effect.*SigIgn 1/ },
    why: 'right for php-fpm, inherited by a supervisor that does nothing with it',
  },
  {
    id: 'SUP-03',
    variant: 'term',
    title: 'the same with a stop signal of TERM',
    command: quits,
    given: { stopSignal: 'TERM' },
    good: true,
    expected: { 'IMG-2': 'pass', 'IMG-3': 'pass', 'SIG-1': 'pass', 'OBS-4': 'pass' },
    why: 'the control run: it is the signal, not the program',
  },
  {
    id: 'SUP-04',
    title: 'a second TERM from the supervisor in the middle of the drain',
    command: supervise(
      "server port=8080 on-TERM=drain:2000:0 second=0 & app=$!; trap 'kill $app; sleep 0.2; kill $app; wait $app; exit 0' TERM; wait $app; wait",
    ),
    given: { port: 8080 },
    cells: ['signal/no-load:signal=TERM', 'drain/many-requests'],
    expected: { 'SIG-1': 'pass', 'DRN-1': 'fail', 'SIG-8': 'not exercised' },
    why: 'one signal was sent, the service got two: nothing is lost until there is work',
  },
  {
    id: 'SUP-06',
    title: 'supervisord behind a shell',
    command: sh(`supervisord -c "trap 'kill \\$app; exit 0' TERM; server on-TERM=exit:0 & app=\\$!; wait"; exit $?`),
    expected: { 'IMG-1': 'fail', 'IMG-2': 'fail', 'SIG-1': 'fail' },
    said: { 'IMG-1': /PID 1 sh \(shell\) stays in front: PID 1 sh \(shell\) -> PID \d+ supervisord/ },
    why: 'supervisord would stop them all, but it is not PID 1',
  },
  {
    id: 'SUP-07',
    title: 'QUIT for a Go program without handlers',
    command: ['/usr/bin/prometheus-process-exporter'],
    given: { stopSignal: 'QUIT', ready: { kind: 'tcp', port: 9256, origin: 'profile' } },
    cells: ['signal/no-load:signal=QUIT'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'fail', 'OBS-4': 'fail' },
    said: { 'SIG-1': /exit 2/, 'OBS-4': /the declared last line is missing/ },
    why: 'the runtime dumps its goroutines and exits 2',
  },
  {
    id: 'SUP-09',
    title: 'a grandchild survives its shell, and the supervisor stays',
    command: [
      ...['/usr/bin/supervisord', '-c'],
      "sh -c 'server on-TERM=ignore; true' & shell=$!; trap 'kill $shell' TERM; while :; do wait $shell; sleep 0.2; done",
    ],
    expected: { 'IMG-1': 'fail', 'IMG-2': 'fail', 'SIG-1': 'fail' },
    why: 'only the shell is told, and the container does not end',
  },
  {
    id: 'SUP-10',
    title: 'an init system that takes TERM for a call to execute itself anew',
    command: reexecutes,
    expected: { 'IMG-1': 'pass', 'SIG-1': 'fail', 'IMG-6': 'not exercised' },
    said: { 'SIG-1': /still running/ },
    why: 'it expects another signal',
  },
  {
    id: 'SUP-10',
    variant: 'own-signal',
    title: 'the same with its own signal as the stop signal',
    command: reexecutes,
    given: { stopSignal: 'HUP' },
    cells: ['signal/no-load:signal=HUP'],
    expected: { 'IMG-3': 'fail', 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'pass' },
    why: 'the signal that it expects ends it',
  },
];
