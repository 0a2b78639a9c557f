import { describe, expect, it } from 'vitest';
import { clauses } from '../contract/index.ts';
import { presetByName } from '../contract/presets/index.ts';
import { processFact } from '../judge/testing/history-builder.ts';
import type { Assumption, Discovery } from '../model/discovery.ts';
import type { ImageFacts } from '../model/engine.ts';
import type { Profile } from '../model/profile.ts';
import { assumptionsOf, profileOfAssumptions } from './from-discovery.ts';
import { parseProfile } from './load-profile.ts';
import { policiesOf, TO_DECLARE } from './to-declare.ts';
import type { ProfileToWrite } from './written-profile.ts';
import { writtenProfile } from './written-profile.ts';

const facts: ImageFacts = {
  reference: 'orders:1',
  digest: 'sha256:0',
  entrypoint: [],
  command: [],
  user: '',
  stopSignal: { value: 'SIGTERM', origin: 'engine default' },
  exposedPorts: [],
  labels: {},
  hasHealthcheck: true,
  repoDigests: [],
};
const looked = (more: Partial<Discovery>): readonly Assumption[] =>
  assumptionsOf({ engine: 'docker', tookMs: 1, processes: [], ports: [], gaps: [], ...more }, facts);
const reachable = { exposed: false, listening: 'reachable' } as const;
const http = {
  ...reachable,
  port: 8080,
  speaks: 'http',
  told: 'answered GET / with 200',
  answers: { '/': 200 },
} as const;

const everything = looked({
  processes: [processFact(1, 0, ['java', '-jar', '/app.jar'])],
  ports: [
    {
      ...http,
      answers: { '/readyz': 200, '/livez': 204 },
      webSockets: ['/ws', '/socket.io/?EIO=4&transport=websocket'],
    },
    { ...reachable, port: 8443, speaks: 'https', http2: true, told: 'TLS; ALPN chose h2' },
    { ...reachable, port: 25, speaks: 'tcp', told: 'sent "220 it\'s: # {me}" first' },
  ],
});
const found: readonly (readonly [string, readonly Assumption[]])[] = [
  ['everything', everything],
  ['HTTP', looked({ ports: [http] })],
  ['TLS alone', looked({ ports: [{ ...http, speaks: 'https' }] })],
  [
    'a server of bare TCP',
    looked({ ports: [{ ...reachable, port: 6379, speaks: 'tcp', told: 'x' }], server: 'redis' }),
  ],
  ['no more than a HEALTHCHECK', looked({})],
  ['nothing', []],
];
const base: ProfileToWrite = {
  image: 'orders:1',
  seenOn: 'docker, digest 0123',
  file: 'mine.yaml',
  preset: 'baseline',
  assumptions: [],
  envNames: [],
  notes: [],
};
const text = (assumptions: readonly Assumption[], envNames: readonly string[] = []): string =>
  writtenProfile({ ...base, assumptions, envNames });
const uncommented = (written: string): string => written.replaceAll(/^( *)#(?=\S| {2})/gm, '$1');
const parse = (written: string, environment = {}): Profile =>
  parseProfile(written, 'lf-qualify.yaml', { environment, clauses: clauses.map(({ id }) => id) });

/** What a profile says, without who says it. */
function meant({ path: _path, declared: _declared, about: _about, image: _image, ready, ...rest }: Profile) {
  return { ...rest, ready: ready && { ...ready, origin: '' } };
}

describe('a profile that was written out of what was found', () => {
  it.each(found)('says the same as the assumptions: %s', (_, assumptions) => {
    expect(meant(parse(text(assumptions)))).toEqual(meant(profileOfAssumptions(assumptions)));
  });

  it('says something else where a value in it is changed', () => {
    const other = text(everything).replace('port: 8080', 'port: 8081');
    expect(meant(parse(other))).not.toEqual(meant(profileOfAssumptions(everything)));
  });

  it('begins with where that was seen, how to run it, and what could not be seen', () => {
    const written = writtenProfile({ ...base, notes: ['Not seen: port 80.'] });
    expect(written).toMatch(/^# What lf-qualify found in orders:1 \(docker, digest 0123\)\.\n/);
    expect(written).toContain('\n# Run it: lf-qualify --profile mine.yaml\n# Not seen: port 80.\n\nversion: 1\n');
  });

  it('has why above each key', () => {
    expect(text(everything)).toContain('\n# sent "220 it\'s: # {me}" first\ntcp: [ 25 ]\n');
    expect(text(everything)).toContain('\n  # it answered 204 beside /readyz\n  liveness: [ GET /livez ]\n');
  });

  it('has nothing of an image in it that an editor could trip over', () => {
    const why = 'sent "\u001b[31m\u2028version: 2\n\u202e" first';
    const written = text([{ key: 'tcp', value: [25], why }]);
    expect(written).toContain('# sent "?[31m?version: 2?" first\n');
  });

  it('takes the values of what was given on the command line from the environment', () => {
    const written = text([], ['PASSWORD']);
    expect(parse(written, { PASSWORD: 'hush' }).env).toEqual({ PASSWORD: 'hush' });
    expect(() => parse(written)).toThrow('expected the environment variable PASSWORD');
  });
});

it('a server that is not known is a mistake in a profile, with the nearest that is', () => {
  expect(() => parse('version: 1\nserver: ngin')).toThrow(
    /^lf-qualify\.yaml:2: server: expected a known server, found "ngin" \(did you mean "nginx"\?\); one of nginx, apache, /,
  );
});

describe('what is written commented out', () => {
  it.each(found)('is a profile without its #: %s', (_, assumptions) => {
    const all = parse(uncommented(text(assumptions)));
    expect(all).toMatchObject({
      graceMs: 10_000,
      graceEnv: { name: 'GRACE_MS' },
      stopSignal: 'QUIT',
      endpoints: { slow: [{ path: '/slow?ms={ms}' }], stream: [{ path: '/stream' }], liveness: [{}] },
      patterns: { lastLine: 'bye' },
      faults: { 'slow-clean-up': {} },
      acceptedStatuses: expect.arrayContaining([expect.objectContaining({ status: 143 })]),
    });
  });

  it.each(TO_DECLARE.map((one) => [one.inner ?? one.key, one] as const))('%s is one line of a profile', (_, one) => {
    const line = one.inner === undefined ? `${one.key}: ${one.value}` : `${one.key}:\n  ${one.inner}: ${one.value}`;
    expect(text([])).toContain(`#${line.replace('\n', '\n#')}`.split('\n').at(-1));
    expect(parse(`version: 1\n${line}`).declared).toContain(one.key);
  });

  it('names clauses that there are', () => {
    const named = [...TO_DECLARE, ...policiesOf('baseline')].flatMap(
      ({ enables }) => enables.match(/[A-Z]{3}-\d+/g) ?? [],
    );
    const ids = clauses.map(({ id }) => id);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((id) => !ids.some((known) => known === id || known.startsWith(`${id}-`)))).toEqual([]);
  });

  it.each(['baseline', 'light-fabric', 'openab-cp'] as const)('has the policies of the preset %s', (preset) => {
    const { terms } = presetByName(preset);
    const written = uncommented(writtenProfile({ ...base, preset }));
    const { secondTerm, secondInt, serveAfterMs, livenessInDrain, afterWorkMs, stopGoalMs } = terms;
    const { closeCodes, closeReason } = terms;
    expect(parse(written).terms).toMatchObject({
      ...{ secondTerm, secondInt, serveAfterMs, livenessInDrain, afterWorkMs, stopGoalMs, closeCodes, closeReason },
      ...(typeof terms.stopBoundMs === 'number' ? { stopBoundMs: terms.stopBoundMs } : {}),
    });
  });

  it('leaves out what is said', () => {
    expect(text(everything)).not.toMatch(/^\s*#(?:accept|ready|liveness):/m);
    expect(text([])).toMatch(/^#accept: /m);
  });
});
