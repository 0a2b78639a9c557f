import { describe, expect, it } from 'vitest';
import type { Assumption } from '../model/discovery.ts';
import type { ImageFacts } from '../model/engine.ts';
import { profileOfAssumptions } from '../profile/from-discovery.ts';
import { parseProfile } from '../profile/load-profile.ts';
import { assumptionsInForce } from './assumed.ts';
import type { TargetFlags } from './said.ts';
import { gather } from './said.ts';

const assumptions: readonly Assumption[] = [
  { key: 'port', value: 8080, why: 'x' },
  { key: 'ready', value: { http: '/' }, why: 'x' },
  { key: 'endpoints.websocket', value: ['/ws'], why: 'x' },
  { key: 'accept', value: [{ status: 143, reason: 'x' }], why: 'x' },
];

function inForce(
  said: {
    readonly profile?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly reference?: string;
    readonly flags?: Partial<TargetFlags>;
  } = {},
): readonly string[] {
  const facts: ImageFacts = {
    reference: said.reference ?? 'shop:1',
    digest: 'sha256:1',
    entrypoint: [],
    command: [],
    user: '',
    stopSignal: { value: 'TERM', origin: 'engine default' },
    exposedPorts: [],
    labels: said.labels ?? {},
    hasHealthcheck: false,
    repoDigests: [],
  };
  const file = said.profile === undefined ? undefined : parseProfile(`version: 1\n${said.profile}`, 'p.yaml');
  const flags = { env: {}, require: [], ...said.flags };
  const all = gather(facts, file, flags, [], profileOfAssumptions(assumptions));
  return assumptionsInForce(all, assumptions).map(({ key }) => key);
}

describe('an assumption holds', () => {
  it('where nobody says anything', () => {
    expect(inForce()).toEqual(['port', 'ready', 'endpoints.websocket', 'accept']);
  });

  it.each([
    ['the profile', { profile: "endpoints: { slow: ['GET /slow'] }\naccept: []" }, ['port', 'ready']],
    [
      'a profile in the label',
      { labels: { 'io.lf-qualify.profile': 'version: 1\nport: 80' } },
      ['ready', 'endpoints.websocket', 'accept'],
    ],
    ['a label', { labels: { 'io.lf-qualify.ready': 'tcp:80' } }, ['port', 'endpoints.websocket', 'accept']],
    ['the bundled profile', { reference: 'networknt/light-agent:1' }, ['endpoints.websocket', 'accept']],
    ['--port', { flags: { port: 80 } }, ['ready', 'endpoints.websocket', 'accept']],
    [
      '--ready',
      { flags: { ready: { kind: 'tcp' as const, port: 80, origin: '--ready' } } },
      ['port', 'endpoints.websocket', 'accept'],
    ],
  ])('and not where %s says something under its key', (_, said, keys) => {
    expect(inForce(said)).toEqual(keys);
  });
});
