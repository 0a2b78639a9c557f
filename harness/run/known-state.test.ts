import { expect, it } from 'vitest';
import { fakeImageFacts } from '../engine/fake.ts';
import { parseProfile } from '../profile/load-profile.ts';
import { resolveTarget } from './resolve-target.ts';

function resolved(yaml: string) {
  const profile = parseProfile(`version: 1\nready: { tcp: 6379 }\n${yaml}`, '/p.yaml');
  const flags = { env: {}, require: [] };
  const selection = { scenario: () => true, cell: () => true, clause: () => true };
  return resolveTarget({ facts: fakeImageFacts('x:1'), profile, flags, selection, judgedOn: '2026-12-01' });
}

it('a known server brings what its log says after an unclean stop, and how its state is read back', () => {
  const { target, basis } = resolved('server: redis');
  expect(target.state).toMatchObject({ port: 6379, expect: 'TOKEN' });
  expect(new RegExp(basis.terms.patterns.recovery ?? '$^').test('Short read or OOM loading DB.')).toBe(true);
  expect(basis.origins.patterns).toBe('discovery: known server redis');
});

it('what is declared goes before it', () => {
  const { basis } = resolved("server: redis\nlogs: { recovery: 'mending' }");
  expect(basis.terms.patterns.recovery).toBe('mending');
});

it('of others nothing is known', () => {
  expect(resolved('server: nginx').target.state).toBeUndefined();
  const { target, basis } = resolved('');
  expect([target.state, basis.terms.patterns.recovery]).toEqual([undefined, undefined]);
});
