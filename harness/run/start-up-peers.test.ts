import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { ContainerSpec, EngineDriver, FolderFile, StartHooks } from '../engine/driver.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { FakeBehaviour } from '../engine/fake-behaviour.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Observation, ObservationOf } from '../model/observation.ts';
import type { Setting, Step } from '../model/scenario.ts';
import { exited, lookInside, pending, ready, release, settle, signal } from '../model/steps.ts';
import type { Bootstrap, Target } from '../model/target.ts';
import { executeCell } from './execute.ts';

const CACHE = '/app/config-cache';
const image = fakeImageFacts('app:1', { hasHealthcheck: true });
const target: Target = {
  name: 'app:1',
  image: image.digest,
  env: {},
  ready: { kind: 'health', origin: 'image' },
  startTimeoutMs: 30_000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  bootstrap: { urlEnv: 'CONFIG_SERVER', env: { BOOT: 'on' }, cache: CACHE },
  registry: { urlEnv: 'PORTAL', env: { REGISTRY: 'on' } },
  faults: {},
  secrets: [],
};

/** What a service does while it starts; it ends with 0 at the first signal. */
type StartUp = (env: Readonly<Record<string, string>>, isReady: () => void, files: FolderFile[]) => Promise<void>;

const fetchValues: StartUp = async (env, isReady, files) => {
  const response = await fetch(`${env['CONFIG_SERVER']}/config-server/configs`).catch(() => undefined);
  const content = await response?.arrayBuffer().catch(() => undefined);
  if (content === undefined) return;
  files.push({ name: 'values.yml', bytes: content.byteLength, content: Buffer.from(content) });
  isReady();
};
const register: StartUp = async (env, isReady) => {
  const socket = new WebSocket(`${env['PORTAL']?.replace('http', 'ws')}/ws/microservice`);
  socket.on('error', () => undefined);
  await once(socket, 'open');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'register-1', method: 'service/register', params: {} }));
  await once(socket, 'message');
  isReady();
};
const readyAtOnce: StartUp = async (_env, isReady) => isReady();
const never: StartUp = async () => undefined;

async function cell(options: {
  readonly script: readonly Step[];
  readonly startUp: StartUp;
  readonly setting?: Setting;
  readonly bootstrap?: Bootstrap;
  readonly behaviour?: Partial<FakeBehaviour>;
  readonly values?: Readonly<Record<string, string>>;
}) {
  const files: FolderFile[] = [];
  let healthy = false;
  const program = (): FakeBehaviour => ({
    onSignal: () => ({ exit: { code: 0 } }),
    health: () => (healthy ? 'healthy' : 'starting'),
    folder: (path) => (path === CACHE ? files : undefined),
    ...options.behaviour,
  });
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program } } });
  const specs: ContainerSpec[] = [];
  const driver: EngineDriver = {
    ...fake,
    start: async (spec: ContainerSpec, hooks: StartHooks = {}) => {
      specs.push(spec);
      const container = await fake.start(spec, hooks);
      const isReady = (): void => {
        healthy = true;
      };
      void options.startUp(spec.env, isReady, files);
      return container;
    },
  };
  const seen: Observation[] = [];
  const { setting = { bootstrap: { kind: 'holds' } }, bootstrap = target.bootstrap, values = {} } = options;
  const ref = {
    engine: 'fake',
    image: 'app:1',
    scenario: 'x/y',
    title: 't',
    values,
    cell: '-',
    clauses: [],
  } as const;
  await executeCell({
    run: 'r',
    harness: { version: '0', node: '24' },
    cell: { ...ref, repeat: 1, sample: 1, lane: 'shared', path: 'cells/x' },
    scenario: { id: 'x/y', title: 't', setting, script: options.script, clauses: [] },
    target: { ...target, ...(bootstrap && { bootstrap }) },
    driver,
    engine: await fake.facts(),
    image,
    basis: basisOf(),
    network: 'n',
    gateway: '127.0.0.1',
    ownership: { run: 'r', owner: 'o' },
    keep: false,
    openHistory: () => ({ append: (observation) => void seen.push(observation), close: () => undefined }),
  });
  const of = <K extends Observation['kind']>(kind: K) =>
    seen.filter((entry): entry is ObservationOf<K> => entry.kind === kind);
  const order = (...kinds: Observation['kind'][]) =>
    seen.map(({ kind }) => kind).filter((kind) => kinds.includes(kind));
  return { seen, of, order, spec: specs[0] };
}

describe('a start-up that a played peer holds', () => {
  it('is pending once the service has asked, and can be signalled then, with its processes looked at', async () => {
    const script = [pending('bootstrap'), signal('TERM'), exited('5s'), lookInside()];
    const { of, order, spec } = await cell({ script, startUp: fetchValues });
    expect(
      order('bootstrap.received', 'start.pending', 'signal.sent', 'exit.seen', 'cache.after-exit', 'ready'),
    ).toEqual(['bootstrap.received', 'start.pending', 'signal.sent', 'exit.seen', 'cache.after-exit']);
    expect(order('cache.after-exit', 'container.removed')).toEqual(['cache.after-exit', 'container.removed']);
    expect(of('start.pending')).toMatchObject([{ peer: 'bootstrap', begin: expect.any(Number) }]);
    expect(of('ready.failed')).toMatchObject([{ reason: 'exited' }]);
    expect(of('cache.after-exit')).toEqual([expect.objectContaining({ path: CACHE, files: [] })]);
    expect(spec?.env).toMatchObject({ BOOT: 'on', CONFIG_SERVER: of('bootstrap.listening')[0]?.url });
    expect(spec?.volumes).toEqual([{ path: CACHE }]);
  });

  it('goes on when it is released: it becomes ready, once, by the watch that began before', async () => {
    const script = [pending('bootstrap'), release('bootstrap'), ready(), signal('TERM'), exited('5s'), lookInside()];
    const setting: Setting = { bootstrap: { kind: 'holds-half' } };
    const { of, order } = await cell({ script, startUp: fetchValues, setting });
    expect(order('start.pending', 'start.released', 'ready', 'signal.sent', 'exit.seen')).toEqual([
      'start.pending',
      'start.released',
      'ready',
      'signal.sent',
      'exit.seen',
    ]);
    expect(of('start.released')).toMatchObject([{ peer: 'bootstrap', begin: expect.any(Number) }]);
    expect(of('cache.after-exit')).toMatchObject([{ files: [{ name: 'values.yml', bytes: 65_536, same: true }] }]);
  });

  it('is released in the same instant as a signal, whatever comes of it', async () => {
    const script = [pending('bootstrap'), release('bootstrap'), signal('TERM'), settle('1ms', '5s'), exited('5s')];
    const { order } = await cell({ script, startUp: fetchValues });
    expect(order('start.released', 'signal.sent', 'exit.seen')).toEqual(['start.released', 'signal.sent', 'exit.seen']);
  });

  it.each(['holds-registration', 'holds-handshake'] as const)(
    'holds at a controller that %s, started from a config server that answers',
    async (kind) => {
      const script = [pending('registration'), release('registration'), ready(), signal('TERM'), exited('5s')];
      const setting: Setting = { bootstrap: { kind: 'answers' }, controller: { kind } };
      const { of, order, spec } = await cell({ script, startUp: register, setting });
      expect(order('start.pending', 'start.released', 'ready', 'signal.sent')).toEqual([
        'start.pending',
        'start.released',
        'ready',
        'signal.sent',
      ]);
      expect(of('start.pending')).toMatchObject([{ peer: 'registration' }]);
      expect(spec?.env).toMatchObject({ BOOT: 'on', REGISTRY: 'on', PORTAL: expect.any(String) });
    },
  );

  it('takes the peer from a column of the matrix', async () => {
    const { of } = await cell({ script: [pending('$peer')], startUp: fetchValues, values: { peer: 'bootstrap' } });
    expect(of('start.pending')).toMatchObject([{ peer: 'bootstrap' }]);
  });
});

describe('a service that does not ask a played peer while it starts', () => {
  it.each([
    ['is ready before', readyAtOnce, {}, /at http:\/\/127\.0\.0\.1:\d+ while it started: it was ready before/],
    ['ends before', never, { onStart: { exit: { code: 3 } } }, /it ended before|it did not become ready/],
    ['never does', never, {}, /it did not within 20 ms/],
  ] as const)(
    '%s: not exercised, with the line to declare, and the script ends',
    async (_, startUp, behaviour, why) => {
      const script = [pending('bootstrap', '20ms'), signal('TERM'), exited('5s')];
      const { of } = await cell({ script, startUp, behaviour });
      const declare = expect.stringContaining('bootstrap: { urlEnv: NAME');
      expect(of('capability.missing')).toMatchObject([
        { capability: 'bootstrap', reason: expect.stringMatching(why), declare },
      ]);
      expect(of('start.pending')).toEqual([]);
      expect(of('signal.sent')).toEqual([]);
    },
  );

  it('is not exercised either where the scenario plays none', async () => {
    const { of } = await cell({ script: [pending('registration')], startUp: never });
    expect(of('capability.missing')).toMatchObject([
      { capability: 'registry', reason: 'no controller is played', declare: expect.stringContaining('registry: {') },
    ]);
  });

  it('has nobody to be released', async () => {
    const { of } = await cell({ script: [release('bootstrap')], startUp: never });
    expect(of('start.released')).toEqual([]);
  });
});

describe('a look inside after the end', () => {
  const script = [pending('bootstrap'), release('bootstrap'), signal('TERM'), exited('5s'), lookInside()];

  it('tells files that are not as they were served, and leaves open what was not served', async () => {
    const content = Buffer.from('half');
    const files = [
      { name: '.values.yml.1.tmp', bytes: 4, content },
      { name: 'played-ca.pem', bytes: 20_000_000 },
      { name: 'values.yml', bytes: 4, content },
    ];
    const { of } = await cell({ script, startUp: fetchValues, behaviour: { folder: () => files } });
    expect(of('cache.after-exit').map((entry) => entry.files)).toEqual([
      [
        { name: '.values.yml.1.tmp', bytes: 4 },
        { name: 'played-ca.pem', bytes: 20_000_000, same: false },
        { name: 'values.yml', bytes: 4, same: false },
      ],
    ]);
  });

  it('says so where the folder cannot be read', async () => {
    const { of } = await cell({ script, startUp: fetchValues, behaviour: { folder: () => undefined } });
    expect(of('cache.after-exit')).toMatchObject([{ files: [], error: expect.stringContaining(CACHE) }]);
  });

  it('is not possible where no folder is declared', async () => {
    const { of, spec } = await cell({ script, startUp: fetchValues, bootstrap: { urlEnv: 'CONFIG_SERVER', env: {} } });
    expect(of('cache.after-exit')).toEqual([]);
    expect(of('capability.missing')).toMatchObject([{ capability: 'bootstrap' }]);
    expect(spec?.volumes).toEqual([]);
  });

  it('is no look while the container runs', async () => {
    const { of } = await cell({ script: [lookInside()], startUp: never });
    expect(of('cache.after-exit')).toMatchObject([{ files: [], error: 'the container has not ended' }]);
  });
});
