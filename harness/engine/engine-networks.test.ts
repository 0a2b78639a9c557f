import { expect, it } from 'vitest';
import { gatewayIn } from './engine-networks.ts';

const ID = 'fa7e87a1742a2b99c95aac13383546783e2d1c2abe8bc2ba85c80b83899c3b4a';
const own = (address: string, family = 'IPv4') => [{ address, family }];

it.each([
  ['as it is listed', [{ Gateway: '172.18.0.1' }], {}, {}, '172.18.0.1'],
  ['listed with its prefix', [{ Gateway: '172.18.0.1/16' }], {}, {}, '172.18.0.1'],
  ['the first of IPv4', [{ Gateway: 'fd00::1' }, { Gateway: '10.1.0.1' }], {}, {}, '10.1.0.1'],
  ['not listed: the address of its bridge', [{}], {}, { 'br-fa7e87a1742a': own('10.2.0.1') }, '10.2.0.1'],
  ['not listed, IPAM empty', undefined, {}, { 'br-fa7e87a1742a': own('10.2.0.1') }, '10.2.0.1'],
  [
    'not listed, a bridge with a name of its own',
    [{}],
    { 'com.docker.network.bridge.name': 'mine' },
    { mine: own('10.3.0.1'), 'br-fa7e87a1742a': own('10.2.0.1') },
    '10.3.0.1',
  ],
  ['none: a bridge without IPv4', [{}], {}, { 'br-fa7e87a1742a': own('fe80::1', 'IPv6') }, undefined],
  ['none: no bridge of this network here', [{}], {}, { docker0: own('172.17.0.1') }, undefined],
])('the gateway of a network: %s', (_, config, options, interfaces, expected) => {
  const network = { Id: ID, Options: options as Record<string, string>, IPAM: { Config: config as never } };
  expect(gatewayIn(network as never, interfaces as never)).toBe(expected);
});
