import { beforeEach, describe, expect, it } from 'vitest';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { ContainerSpec, EngineDriver } from '../engine/driver.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Observation, ObservationKind } from '../model/observation.ts';
import type { Target } from '../model/target.ts';
import type { CellContext } from './execute.ts';
import { executeCell } from './execute.ts';

const image = fakeImageFacts('app:1');
const target: Target = {
  name: 'app:1',
  image: image.digest,
  env: {},
  ready: { kind: 'log', pattern: 'ready', origin: 'profile' },
  startTimeoutMs: 1000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  secrets: [],
};

let specs: ContainerSpec[];
beforeEach(() => {
  specs = [];
});

async function observe(more: Partial<Target>, context: Partial<CellContext> = {}): Promise<readonly Observation[]> {
  const program = () => ({ onStart: { output: [{ text: 'ready\n' }], exit: { code: 0 } } });
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program } } });
  const driver: EngineDriver = {
    ...fake,
    start: async (spec, hooks) => {
      specs.push(spec);
      return await fake.start(spec, hooks);
    },
  };
  const seen: Observation[] = [];
  await executeCell({
    run: 'r',
    harness: { version: '0', node: '24' },
    cell: {
      engine: 'fake',
      image: 'app:1',
      scenario: 'x/y',
      title: 't',
      values: {},
      cell: '-',
      clauses: [],
      repeat: 1,
      sample: 1,
      lane: 'shared',
      path: 'cells/x',
    },
    scenario: { id: 'x/y', title: 't', script: [], clauses: [] },
    target: { ...target, ...more },
    driver,
    engine: await fake.facts(),
    image,
    basis: basisOf(),
    network: 'n',
    ownership: { run: 'r', owner: 'o' },
    keep: false,
    openHistory: () => ({ append: (observation) => seen.push(observation), close: () => undefined }),
    ...context,
  });
  return seen;
}

const kinds = (seen: readonly Observation[]): readonly ObservationKind[] => seen.map(({ kind }) => kind);

describe('the container of a cell', () => {
  it('gets what the target declares, and the addresses of its dependencies', async () => {
    const declared = { user: '1000', memoryBytes: 1e8, volumes: [{ path: '/data' }], outbound: true };
    const db = { alias: 'db', reference: 'db:1', container: 'x', address: '192.0.2.7', log: 'l' };
    const stateOf = { running: true, status: 'running', oomKilled: false };
    const fake = fakeEngine({ images: { 'app:1': { facts: image, program: () => ({}) } } });
    await observe(declared, {
      dependencies: { running: [db] },
      driver: {
        ...fake,
        stateOf: async () => stateOf,
        start: async (spec) => {
          specs.push(spec);
          throw new Error('enough');
        },
      },
    });
    expect(specs).toMatchObject([{ ...declared, network: 'n', hosts: { db: '192.0.2.7' } }]);
  });

  it('that cannot get its files is a fault, and no failure of the image to start', async () => {
    const seen = await observe({ files: [{ path: '/etc/app', source: '/no/such/file' }] });
    expect(kinds(seen)).not.toContain('ready.failed');
    expect(seen.find(({ kind }) => kind === 'fault')).toMatchObject({
      message: expect.stringContaining('/no/such/file'),
    });
  });

  it('is not made where a dependency is not there, and that is a fault with its reason', async () => {
    const seen = await observe({}, { dependencies: { running: [], failure: 'dependency db ended' } });
    expect(kinds(seen)).toEqual(['fault', 'end']);
    expect(seen[0]).toMatchObject({ where: 'dependency', message: 'dependency db ended' });
    expect(specs).toEqual([]);
  });
});
