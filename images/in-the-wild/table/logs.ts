import type { Case } from './case.ts';
import { node, sh } from './case.ts';

/** Before anything is in a buffer that is never written there is no line to be ready by. */
const settled = { ready: { kind: 'settled', afterMs: 300, origin: 'profile' } } as const;

/** Last lines: lost by the service, never by the engines or by us. */
export const logs: readonly Case[] = [
  {
    id: 'LOG-02',
    title: 'a line of 300 KiB before the last one',
    command: sh(
      `trap 'busybox head -c 307200 /dev/zero | busybox tr "\\0" x; echo; echo stopped; exit 0' TERM; echo ready; sleep 1000 & wait`,
    ),
    good: true,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'pass' },
    why: 'the stored log has what an attached stream may lose',
  },
  {
    id: 'LOG-04',
    title: 'block-buffered output that is not flushed',
    command: ['/usr/bin/server', 'buffered', 'on-TERM=cut:0'],
    given: settled,
    expected: { 'SIG-1': 'pass', 'IMG-6': 'pass', 'OBS-4': 'fail' },
    said: { 'OBS-4': /the declared last line is missing; no line at all/ },
    why: 'exit 0, and the buffer dies with the process',
  },
  {
    id: 'LOG-04',
    variant: 'node',
    title: 'an exit of Node with more to write than the pipe takes',
    command: node(
      'process.once("SIGTERM", () => { console.log(("x".repeat(127) + "\\n").repeat(2000)); console.log("stopped"); process.exit(0); }); setInterval(() => undefined, 1000); console.log("ready");',
    ),
    expected: { 'SIG-1': 'pass', 'OBS-4': 'fail' },
    said: { 'OBS-4': /the declared last line is missing/ },
    why: 'what a pipe does not take at once is written later, and process.exit does not wait for it',
  },
  {
    id: 'LOG-04',
    variant: 'killed',
    title: 'the same, killed',
    command: ['/usr/bin/server', 'buffered', 'on-TERM=ignore'],
    given: settled,
    expected: { 'SIG-1': 'fail', 'OBS-4': 'not exercised' },
    why: 'nothing follows from the silence of one that was killed',
  },
  {
    id: 'LOG-04',
    variant: 'flushed',
    title: 'block-buffered output that is flushed',
    command: ['/usr/bin/server', 'buffered', 'on-TERM=exit:0'],
    given: settled,
    good: true,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'pass' },
    why: 'all of it comes at the end',
  },
  {
    id: 'LOG-06',
    title: 'a last line right before the end, without a newline',
    command: sh("trap 'printf stopped; exit 0' TERM; echo ready; sleep 1000 & wait"),
    good: true,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'pass' },
    why: 'the log is read after the end, and again where it is not complete',
  },
];
