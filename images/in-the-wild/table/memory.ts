import type { Case } from './case.ts';
import { bash, sh } from './case.ts';

const MIB = 1024 ** 2;
const memory = { memoryBytes: 32 * MIB };
const takesTooMuch = 'dd if=/dev/zero of=/dev/null bs=96M count=1';

/** Out of memory, and what looks like it. */
export const memoryCases: readonly Case[] = [
  {
    id: 'OOM-01',
    title: 'a child is killed for want of memory long before the stop',
    command: sh(`${takesTooMuch}; sleep 0.3; trap 'echo stopped; exit 0' TERM; echo ready; sleep 1000 & wait`),
    given: memory,
    good: true,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'pass' },
    said: { 'SIG-1': /exit 0 \(1 OOM kill\(s\) of children before the signal/ },
    why: 'it is told, and it is none of the stop: PID 1 ended by itself with 0',
  },
  {
    id: 'OOM-01',
    variant: 'in-stop',
    title: 'a child is killed for want of memory in the stop',
    command: sh(`trap '${takesTooMuch}; exit 0' TERM; echo ready; sleep 1000 & wait`),
    given: memory,
    expected: { 'SIG-1': 'fail' },
    said: { 'SIG-1': /exit 0, but .*OOM/ },
    why: 'exit 0, and part of the stop was killed',
  },
  {
    id: 'OOM-02',
    title: 'killed by the harness, with a memory limit',
    command: ['/usr/bin/server', 'on-TERM=ignore'],
    given: memory,
    expected: { 'SIG-1': 'fail', 'IMG-6': 'not exercised' },
    said: { 'SIG-1': /^(?!.*OOM).*the harness sent SIGKILL$/ },
    why: '137 by our own SIGKILL is no OOM',
  },
  {
    id: 'OOM-04',
    title: 'PID 1 is killed for want of memory in its stop',
    command: ['/usr/bin/server', 'on-TERM=hog:96'],
    given: memory,
    expected: { 'SIG-1': 'fail' },
    said: { 'SIG-1': /137: .*OOM/ },
    why: 'a fact: engine or cgroup says so',
  },
  {
    id: 'OOM-04',
    variant: 'bash',
    title: 'the same through bash',
    command: bash("server on-TERM=hog:96 & app=$!; trap 'kill $app; wait $app; exit $?' TERM; wait $app; wait"),
    given: memory,
    expected: { 'SIG-1': 'fail' },
    said: { 'SIG-1': /137: .*OOM/ },
    why: 'the counter of the cgroup does not depend on who was killed',
  },
  {
    id: 'OOM-07',
    title: '137 without any evidence of OOM',
    command: sh("trap 'exit 137' TERM; echo ready; sleep 1000 & wait"),
    given: memory,
    expected: { 'SIG-1': 'fail' },
    said: { 'SIG-1': /137 without a SIGKILL of ours/ },
    why: 'a hint, no more: nothing says that memory ran out',
  },
  {
    id: 'OOM-07',
    variant: 'enough',
    title: 'memory enough',
    command: ['/usr/bin/server', 'on-TERM=exit:0'],
    given: memory,
    good: true,
    expected: { 'SIG-1': 'pass', 'OBS-4': 'pass' },
    said: { 'SIG-1': /^(?!.*OOM)/ },
    why: 'nothing is said of memory',
  },
];
