import { describe, expect, it } from 'vitest';
import type { EngineFacts } from '../model/engine.ts';
import { chooseVantage, engineVantage, routeTo } from './vantage.ts';

const engine: EngineFacts = {
  name: 'docker',
  version: '1',
  apiVersion: '1',
  address: 'unix:///x',
  rootless: false,
  local: true,
  clockOffsetMs: 0,
  clockErrorMs: 0,
};
const HEADER = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
// 172.23.0.0/16 on br0, 10.0.0.0/8 by a gateway on eth0, the default route on eth0.
const ROUTES = [
  HEADER,
  'br0\t000017AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  'eth0\t0000000A\t0101A8C0\t0003\t0\t0\t0\t000000FF\t0\t0\t0',
  'eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
].join('\n');

describe('the route of an address', () => {
  it.each([
    ['172.23.0.7', { device: 'br0', onLink: true }],
    ['10.88.0.2', { device: 'eth0', onLink: false }],
    ['192.0.2.1', undefined],
    ['fd00::1', undefined],
    ['172.23.0.999', undefined],
  ])('%s', (address, route) => {
    expect(routeTo(address, ROUTES)).toEqual(route);
  });
});

describe('the vantage', () => {
  it.each([
    ['no address', engine, undefined, /no address/],
    ['a remote engine', { ...engine, local: false }, '172.23.0.7', /not on this host/],
    ['a rootless engine', { ...engine, rootless: true }, '172.23.0.7', /rootless/],
    ['an address that no bridge of this host leads to', engine, '192.0.2.1', /no route on-link over a bridge/],
  ])(
    'is a sidecar for %s, without a packet sent, and none where direct is asked for',
    async (_, facts, address, why) => {
      const because = expect.stringMatching(why);
      expect(await chooseVantage(facts, address)).toEqual({ vantage: 'sidecar', why: because });
      expect(await chooseVantage(facts, address, 'direct')).toEqual({ vantage: 'none', why: because });
    },
  );

  it('is a sidecar where that is asked for', async () => {
    expect(await chooseVantage(engine, '172.23.0.7', 'sidecar')).toEqual({ vantage: 'sidecar', why: '--vantage' });
  });

  it.each([
    ['direct', engine, /local and rootful/],
    ['sidecar', { ...engine, local: false }, /not on this host/],
    ['sidecar', { ...engine, rootless: true }, /rootless/],
  ])('of an engine is %s', (vantage, facts, why) => {
    expect(engineVantage(facts)).toEqual({ vantage, why: expect.stringMatching(why) });
  });
});
