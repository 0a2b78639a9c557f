import { expect, it } from 'vitest';
import { fits, ownerAndName } from './image-name.ts';

const digest = `sha256:${'0'.repeat(64)}`;

it.each([
  ['orders:1.4', 'orders:1.4', 'exact'],
  ['orders', 'orders:1.4', 'repository'],
  ['orders', `orders@${digest}`, 'repository'],
  ['orders', 'orders', 'exact'],
  ['orders:latest', 'orders', 'exact'],
  ['orders:1.4', `orders:1.4@${digest}`, 'exact'],
  [`orders@${digest}`, `orders:1.4@${digest}`, 'exact'],
  ['docker.io/library/orders', 'orders:1', 'repository'],
  ['docker.io/acme/orders:1', 'acme/orders:1', 'exact'],
  ['registry:5000/orders', 'registry:5000/orders:1', 'repository'],
  ['registry:5000/orders', 'orders:1', undefined],
  ['orders:1.4', 'orders:1.5', undefined],
  ['orders:1.4', 'orders', undefined],
  ['orders:latest', `orders@${digest}`, undefined],
  [`orders@${digest}`, 'orders:1.4', undefined],
  ['orders', 'orders-api:1', undefined],
  ['', 'orders', undefined],
])('a profile for %s and the image %s: %s', (declared, reference, expected) => {
  expect(fits(declared, reference)).toBe(expected);
});

it.each([
  ['registry.example:5000/team/networknt/light-agent:1', 'networknt/light-agent'],
  [`networknt/light-agent@${digest}`, 'networknt/light-agent'],
  ['orders', 'orders'],
  ['', ''],
])('%s is called %s', (reference, name) => {
  expect(ownerAndName(reference)).toBe(name);
});
