import { describe, expect, it } from 'vitest';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { Discovery } from '../model/discovery.ts';
import { EngineError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import { emptyProfile } from '../profile/overruled.ts';
import { Looks } from './looks.ts';

const everything = { clause: () => true, scenario: () => true, cell: () => true };
const found: Discovery = {
  engine: 'fake',
  tookMs: 800,
  processes: [],
  ports: [{ port: 80, exposed: true, listening: 'reachable', speaks: 'http', answers: { '/': 200 }, told: 'answered' }],
  gaps: [],
};

/** A look at an image of which this is declared. */
async function look(
  declared: { flags?: object; profile?: Partial<Profile>; labels?: Record<string, string>; reference?: string },
  discover: () => Promise<Discovery> = async () => found,
) {
  const { reference = 'registry.example/app:1', labels = {} } = declared;
  const facts = fakeImageFacts(reference, { exposedPorts: [80], labels });
  const driver = fakeEngine({ images: { [reference]: { facts, program: () => ({}) } } });
  const said: string[] = [];
  const looks = new Looks({
    engines: [{ driver, facts: await driver.facts() }],
    ownership: { run: 'r', owner: 'o' },
    helper: undefined,
    progress: { say: (line) => said.push(line) },
    interrupt: new AbortController().signal,
    lanes: { within: async (_, work) => await work() },
    discover,
  });
  const looked = await looks.at({
    image: { reference, facts: new Map([['fake', facts]]) },
    label: reference,
    flags: { env: {}, require: [], ...declared.flags },
    selection: everything,
    ...(declared.profile && { profile: { ...emptyProfile, ...declared.profile } }),
  });
  return { looked, said, left: await driver.owned() };
}

describe('an image is looked at', () => {
  it('where nothing is declared of it, and its network is removed', async () => {
    const { looked, said, left } = await look({});
    expect(looked).toMatchObject({ discovery: found, profile: { port: 80 } });
    expect(said[0]).toBe('looking at registry.example/app:1 on fake');
    expect(said[1]).toContain('found 80 http');
    expect(left).toEqual([]);
  });

  it.each([
    ['its environment is declared', { profile: { env: { A: 'b' } } }],
    ['baseline is asked for', { flags: { preset: 'baseline' } }],
    ['a grace is declared', { labels: { 'io.lf-qualify.grace': '2s' } }],
  ])('where no more than that %s', async (_, declared) => {
    expect((await look(declared)).looked).toBeDefined();
  });

  it.each([
    ['another preset applies', { flags: { preset: 'light-fabric' } }],
    ['a label names another preset', { labels: { 'io.lf-qualify.preset': 'openab-cp' } }],
    ['a flag says readiness', { flags: { ready: { kind: 'tcp', port: 1, origin: '--ready' } } }],
    ['a flag says the port', { flags: { port: 81 } }],
    ['a label says readiness', { labels: { 'io.lf-qualify.ready': 'tcp:80' } }],
    ['a profile says readiness', { profile: { ready: { kind: 'tcp', port: 1, origin: 'profile' } as const } }],
    ['a profile says the port', { profile: { port: 81 } }],
    ['a profile says TLS', { profile: { tls: { port: 443 } } }],
    ['a profile says bare TCP', { profile: { tcpPorts: [1883] } }],
  ])('not where %s', async (_, declared) => {
    expect(await look(declared)).toMatchObject({ looked: undefined, said: [] });
  });

  it('not where it needs what is not there yet, and that is said', async () => {
    const ready = { kind: 'tcp', port: 5432, origin: 'profile' } as const;
    const database = { alias: 'db', reference: 'db:1', env: {}, files: [], volumes: [], ready, startTimeoutMs: 1000 };
    const { looked, said } = await look({ profile: { dependencies: [database] } });
    expect(looked).toBeUndefined();
    expect(said).toEqual(['registry.example/app:1: not looked at: it needs db; declare ready and port']);
  });
});

it('an image that the engine does not start is left to the run, and its network is removed', async () => {
  const { looked, said, left } = await look({}, async () => {
    throw new EngineError('no such executable');
  });
  expect(looked).toBeUndefined();
  expect(said.at(-1)).toBe('registry.example/app:1: could not be looked at: no such executable');
  expect(left).toEqual([]);
});

it('a lost engine is no matter of the image', async () => {
  const lost = async (): Promise<Discovery> => {
    throw new EngineError('gone', { lost: true });
  };
  await expect(look({}, lost)).rejects.toThrow('gone');
});

it('an image that ends at once is said to, and nothing is assumed of it', async () => {
  const ended: Discovery = { ...found, ports: [], ended: { exitCode: 2, lastLines: ['DATABASE_URL is not set'] } };
  const { looked, said } = await look({}, async () => ended);
  expect(looked).toMatchObject({ discovery: ended, assumed: [] });
  expect(said.at(-1)).toContain('it ended by itself with exit code 2 in 0.8 s; it last wrote: DATABASE_URL is not set');
});
