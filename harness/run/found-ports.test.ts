import { expect, it } from 'vitest';
import type { Spoken } from '../observe/speech.ts';
import { foundPorts } from './found-ports.ts';

const speaks = (speech: Spoken['speaks'], more: Partial<Spoken> = {}): Spoken => ({
  told: 'as told',
  ...(speech === undefined ? {} : { speaks: speech }),
  ...more,
});
const reachable = (port: number) => ({ port, from: 'reachable' as const });

it('what carries HTTP comes first, then what the image exposes, then the lowest', () => {
  const found = foundPorts({
    exposed: [9000, 8081, 8443, 53],
    listeners: [reachable(5432), reachable(8080), reachable(8081), reachable(8443), reachable(9000)],
    spoken: new Map([
      [5432, speaks('tcp')],
      [8080, speaks('http')],
      [8081, speaks('http')],
      [8443, speaks('https')],
      [9000, speaks('tcp')],
    ]),
  });
  expect(found.map(({ port }) => port)).toEqual([8081, 8080, 8443, 9000, 5432, 53]);
});

it.each<[string, Parameters<typeof foundPorts>[0], object]>([
  [
    'exposed and not listened on',
    { exposed: [80], listeners: [], spoken: new Map() },
    { port: 80, exposed: true, listening: 'not', told: 'nothing listens there' },
  ],
  [
    'listened on by loopback only',
    { exposed: [], listeners: [{ port: 80, from: 'loopback' }], spoken: new Map() },
    { port: 80, exposed: false, listening: 'loopback', told: 'listened on by loopback only' },
  ],
  [
    'listened on, and refused from outside',
    { exposed: [80], listeners: [reachable(80)], spoken: new Map([[80, speaks(undefined)]]) },
    { port: 80, exposed: true, listening: 'not', told: 'as told' },
  ],
  [
    'not seen from inside, and answering',
    { exposed: [80], spoken: new Map([[80, speaks('tcp', { silent: true })]]) },
    { port: 80, exposed: true, listening: 'reachable', speaks: 'tcp', told: 'as told' },
  ],
])('a port that is %s is told as that', (_, facts, expected) => {
  expect(foundPorts(facts)).toEqual([expected]);
});
