import { describe, expect, it } from 'vitest';
import { AdmissionGate } from './admission-gate.ts';
import { controlRoutes } from './control-routes.ts';

const gates = () => {
  const [open, closed] = [new AdmissionGate(), new AdmissionGate()];
  open.open();
  closed.close();
  return { open, closed };
};

describe('the control inventory', () => {
  it.each([
    ['/live', 'open', 200, { live: true }],
    ['/live', 'closed', 200, { live: true }],
    ['/ready', 'open', 200, { ready: true }],
    ['/ready', 'closed', 503, { ready: false }],
  ] as const)('GET %s behind a gate that is %s answers %i', (target, gate, status, body) => {
    expect(controlRoutes.find('GET', target)?.(gates()[gate])).toEqual({ status, body });
  });

  it.each([
    ['POST', '/live'],
    ['HEAD', '/ready'],
    ['GET', '/live/'],
    ['GET', '/livez'],
    ['GET', '/live/x'],
    ['GET', '/LIVE'],
    ['GET', '//live'],
    ['GET', '/%6cive'],
    ['GET', '/./ready'],
    ['GET', '/ready?x=1'],
    ['GET', '/health'],
    [undefined, undefined],
  ])('does not know %s %s', (method, target) => {
    expect(controlRoutes.find(method, target)).toBeUndefined();
  });
});
