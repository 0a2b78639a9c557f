import { expect, it } from 'vitest';
import type { ProcessFact } from '../model/observation.ts';
import { untilHeard } from './until-heard.ts';

const TERM = '0000000000004000';
const NONE = '0000000000000000';

const one = (more: Partial<ProcessFact> = {}): ProcessFact => ({
  pid: 500,
  nsPid: 1,
  ppid: 400,
  comm: 'server',
  args: ['server'],
  state: 'S',
  threads: 1,
  caught: NONE,
  ignored: NONE,
  blocked: NONE,
  ...more,
});

/** A reader whose looks come out as listed, the last of them for ever. */
function reader(...looks: readonly (readonly ProcessFact[])[]): {
  readonly list: () => Promise<readonly ProcessFact[]>;
  readonly count: () => number;
} {
  let count = 0;
  return {
    list: async () => looks[Math.min(count++, looks.length - 1)] ?? [],
    count: () => count,
  };
}

const alive = new AbortController().signal;

it('looks again until PID 1 catches the signal, and gives the processes as they are then', async () => {
  const looks = reader([one()], [one()], [one({ caught: TERM })]);
  expect(await untilHeard(looks, 'TERM', alive)).toEqual([one({ caught: TERM })]);
  expect(looks.count()).toBe(3);
});

it.each([
  ['catches it already', one({ caught: TERM })],
  ['ignores it', one({ ignored: TERM })],
  ['is an init, which catches none', one({ comm: 'tini', args: ['tini', '--', 'server'] })],
])('looks once where PID 1 %s', async (_, first) => {
  const looks = reader([first]);
  await untilHeard(looks, 'TERM', alive);
  expect(looks.count()).toBe(1);
});

it('gives up after its limit where nothing is ever caught: the signal is sent all the same', async () => {
  const looks = reader([one()]);
  expect(await untilHeard(looks, 'TERM', alive, 30)).toEqual([one()]);
  expect(looks.count()).toBe(4);
});

it('waits for the signal that is sent, not for another', async () => {
  const looks = reader([one({ caught: '0000000000000002' })], [one({ caught: '0000000000000002' })]);
  await untilHeard(looks, 'TERM', alive, 10);
  expect(looks.count()).toBe(2);
});

it('does not wait for a container that has ended', async () => {
  const looks = reader([one()]);
  await untilHeard(looks, 'TERM', AbortSignal.abort());
  expect(looks.count()).toBe(1);
});
