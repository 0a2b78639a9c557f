import { describe, expect, it } from 'vitest';
import type { ContainerSpec, EngineDriver } from '../engine/driver.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { FakeBehaviour } from '../engine/fake-behaviour.ts';
import { EngineError } from '../model/errors.ts';
import type { Dependency, Target } from '../model/target.ts';
import { needsOwnSite, openTargetSite } from './target-site.ts';

const ownership = { run: 'r', owner: 'o' };
const facts = fakeImageFacts('db:1', { hasHealthcheck: true });
const helper = fakeImageFacts('helper');

const db: Dependency = {
  alias: 'db',
  reference: 'db:1',
  image: facts.digest,
  env: { POSTGRES_PASSWORD: 'hush-hush' },
  files: [],
  volumes: [{ path: '/data' }],
  memoryBytes: 1e8,
  ready: { kind: 'log', pattern: 'ready to accept', origin: 'profile' },
  startTimeoutMs: 2000,
};

const targetWith = (dependencies: readonly Dependency[], outbound = false): Target => ({
  name: 'app:1',
  image: 'sha256:1',
  env: {},
  ready: { kind: 'tcp', port: 80, origin: 'EXPOSE' },
  startTimeoutMs: 1000,
  files: [],
  volumes: [],
  outbound,
  dependencies,
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  secrets: ['hush-hush'],
});

const comesUp: FakeBehaviour = { onStart: { output: [{ text: 'ready to accept, with hush-hush\nand on\n' }] } };

interface Opened {
  readonly site: Awaited<ReturnType<typeof openTargetSite>>;
  readonly specs: readonly ContainerSpec[];
  readonly logs: Readonly<Record<string, string>>;
  readonly internal: boolean | undefined;
}

async function open(
  dependencies: readonly Dependency[],
  program: (spec: ContainerSpec) => FakeBehaviour = () => comesUp,
  more: { readonly outbound?: boolean; readonly fail?: (call: string) => Error | undefined } = {},
): Promise<Opened> {
  const fake = fakeEngine({
    images: { 'db:1': { facts, program }, helper: { facts: helper, program: () => ({}) } },
    ...(more.fail && { fail: more.fail }),
  });
  const specs: ContainerSpec[] = [];
  const logs: Record<string, string> = {};
  let internal: boolean | undefined;
  const driver: EngineDriver = {
    ...fake,
    createNetwork: async (name, options) => {
      internal = options.internal;
      return await fake.createNetwork(name, options);
    },
    hold: async (spec, hooks) => {
      specs.push(spec);
      return await fake.hold(spec, hooks);
    },
  };
  const site = await openTargetSite({
    driver,
    engine: await fake.facts(),
    name: 'lfq-r-1',
    target: targetWith(dependencies, more.outbound),
    ownership,
    helperImage: helper.digest,
    interrupt: new AbortController().signal,
    log: (alias) => ({
      log: `${alias}.log`,
      openLog: () => ({ append: (text) => (logs[alias] = (logs[alias] ?? '') + text), close: () => undefined }),
    }),
  });
  return { site, specs, logs, internal };
}

describe('openTargetSite', () => {
  it.each([
    ['neither', [], false, false],
    ['dependencies', [db], false, true],
    ['a way out', [], true, true],
  ])('is for a target with %s', (_title, dependencies, outbound, needed) => {
    expect(needsOwnSite({ dependencies, outbound })).toBe(needed);
  });

  it('starts a dependency as it is declared, on a network without a way out that a container of ours holds', async () => {
    const { site, specs, internal } = await open([db]);
    expect(internal).toBe(true);
    expect(specs.map(({ name }) => name)).toEqual(['lfq-r-1-holder', 'lfq-r-1-db']);
    expect(specs[1]).toMatchObject({
      image: facts.digest,
      aliases: ['db'],
      env: db.env,
      volumes: db.volumes,
      memoryBytes: db.memoryBytes,
      outbound: false,
      network: site.network,
      ownership,
    });
    expect(site.dependencies.running).toMatchObject([{ alias: 'db', reference: 'db:1', log: 'db.log' }]);
    expect(JSON.stringify(site.dependencies)).not.toContain('hush');
    expect(site.reported).toMatchObject([{ alias: 'db', digest: facts.digest, readyAfterMs: expect.any(Number) }]);
  });

  it('gives a way out where one is asked for', async () => {
    const { specs, internal } = await open([db], undefined, { outbound: true });
    expect(internal).toBe(false);
    expect(specs[1]?.outbound).toBe(true);
  });

  it('lets each dependency know those before it', async () => {
    const { site, specs } = await open([db, { ...db, alias: 'api' }]);
    const address = site.dependencies.running[0]?.address;
    expect(address).toMatch(/^\d/);
    expect(specs[1]?.hosts).toEqual({});
    expect(specs[2]?.hosts).toEqual({ db: address });
  });

  it('keeps all of its output, with secrets masked, also what comes after it was ready', async () => {
    const { site, logs } = await open([db]);
    site.close();
    expect(logs['db']).toBe('ready to accept, with ***\nand on\n');
  });

  it.each<[string, Dependency['ready'], FakeBehaviour, RegExp]>([
    [
      'ends',
      db.ready,
      { onStart: { output: [{ text: 'no hush-hush\n', stream: 'stderr' }], exit: { code: 1 } } },
      /ended with exit code 1 before it was ready; it last wrote: no \*\*\*; all of its output: db\.log$/,
    ],
    ['says nothing', db.ready, {}, /is not ready within 50 ms: no log line matches .*; it wrote nothing/],
    [
      'has a HEALTHCHECK that is not content',
      { kind: 'health', origin: 'profile' },
      { health: () => 'unhealthy' },
      /is not ready within 50 ms: the image's HEALTHCHECK says unhealthy/,
    ],
  ])('tells why a dependency that %s did not come up, and starts none after it', async (_title, ready, does, why) => {
    const late = { ...db, alias: 'late' };
    const { site, specs } = await open([{ ...db, ready, startTimeoutMs: 50 }, late], () => does);
    expect(site.dependencies.running).toEqual([]);
    expect(site.dependencies.failure).toMatch(/^dependency db \(db:1\) /);
    expect(site.dependencies.failure).toMatch(why);
    expect(site.reported).toMatchObject([{ alias: 'db', failure: site.dependencies.failure }]);
    expect(specs.map(({ name }) => name)).not.toContain('lfq-r-1-late');
  });

  it('is ready when the HEALTHCHECK is content', async () => {
    const { site } = await open([{ ...db, ready: { kind: 'health', origin: 'profile' } }], () => ({}));
    expect(site.dependencies.running).toHaveLength(1);
  });

  it('tells of one that the engine refuses to start, and throws for an engine that is lost', async () => {
    const refuse = (lost: boolean) => (call: string) =>
      call === 'start lfq-r-1-db' ? new EngineError('no such command', { lost }) : undefined;
    const { site } = await open([db], undefined, { fail: refuse(false) });
    expect(site.dependencies.failure).toMatch(/dependency db \(db:1\) could not be started: no such command/);
    await expect(open([db], undefined, { fail: refuse(true) })).rejects.toMatchObject({ lost: true });
  });
});
