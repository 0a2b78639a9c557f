import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { FakeBehaviour } from '../engine/fake-behaviour.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import { EngineError } from '../model/errors.ts';
import type { Observation, ObservationKind } from '../model/observation.ts';
import type { Step } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import { startHelper } from '../wire/testing/relay-process.suite.ts';
import { executeCell } from './execute.ts';

const ending: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ending.splice(0)) end();
});

const image = fakeImageFacts('app:1');
const target: Target = {
  name: 'app:1',
  image: image.digest,
  env: {},
  ready: { kind: 'tcp', port: 1, origin: 'profile' },
  startTimeoutMs: 20_000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  secrets: [],
};

/** A cell on an engine of another host. Its sidecar is a helper beside a process that stands for the container. */
async function observe(
  behaviour: FakeBehaviour,
  options: {
    readonly refuse?: EngineError;
    readonly script?: readonly Step[];
    readonly on?: (seen: Observation, end: (which: 'target' | 'sidecar') => unknown) => unknown;
  } = {},
): Promise<readonly Observation[]> {
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program: () => behaviour } }, facts: { local: false } });
  const stand = spawn('sleep', ['600']);
  stand.once('exit', () => void fake.containers()[0]?.kill('KILL'));
  const helper = await startHelper({ pid: stand.pid });
  const end = (which: 'target' | 'sidecar'): unknown => (which === 'target' ? stand : helper).kill('SIGKILL');
  ending.push(() => end('target'));
  ending.push(() => end('sidecar'));
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
    scenario: { id: 'x/y', title: 't', script: options.script ?? [{ step: 'ready', answers: 2 }], clauses: [] },
    target,
    driver: {
      ...fake,
      startSidecar: async () => {
        if (options.refuse) throw options.refuse;
        return { id: 's', input: helper.stdin, output: helper.stdout, remove: async () => void end('sidecar') };
      },
    },
    engine: await fake.facts(),
    image,
    basis: basisOf(),
    network: 'n',
    ownership: { run: 'r', owner: 'o' },
    keep: false,
    sidecarImage: 'helper:1',
    openHistory: () => ({
      append: (observation) => {
        seen.push(observation);
        options.on?.(observation, end);
      },
      close: () => undefined,
    }),
  });
  return seen;
}

const of = (seen: readonly Observation[], ...kinds: readonly ObservationKind[]) =>
  seen.filter(({ kind }) => kinds.includes(kind));
const outcomes = ['ready', 'ready.failed', 'capability.missing', 'fault', 'exit.seen'] as const;

describe('a cell that is looked at from a sidecar', { timeout: 60_000 }, () => {
  it('of a container that ended before the sidecar could start shows that end, no want of a place', async () => {
    const refuse = new EngineError('cannot join the network of a container that is not running');
    const seen = await observe({ onStart: { exit: { code: 1 } } }, { refuse });
    expect(of(seen, 'container.started')).toMatchObject([{ vantage: 'none: the container had ended by then' }]);
    expect(of(seen, ...outcomes)).toMatchObject([
      { kind: 'exit.seen', by: 'engine' },
      { kind: 'ready.failed', reason: 'exited' },
    ]);
  });

  it('of a container that lives, where the engine starts no sidecar, says why it cannot be reached', async () => {
    const seen = await observe({}, { refuse: new EngineError('pid mode host is not allowed') });
    expect(of(seen, ...outcomes)).toMatchObject([
      { kind: 'capability.missing', capability: 'direct', reason: expect.stringMatching(/pid mode host/) },
    ]);
  });

  it('records the end of PID 1 once, as the sidecar’s pidfd showed it', async () => {
    const script = [{ step: 'hold', for: '60s' }] as const;
    const on = (one: Observation, end: (which: 'target') => unknown) =>
      one.kind === 'process.events' && setImmediate(() => end('target'));
    const seen = await observe({}, { script, on });
    expect(of(seen, ...outcomes)).toMatchObject([{ kind: 'exit.seen', by: 'pidfd' }]);
  });

  it('whose sidecar is lost in the middle has a fault, before whatever becomes of what it carried', async () => {
    const on = (one: Observation, end: (which: 'sidecar') => unknown) =>
      one.kind === 'process.events' && setImmediate(() => end('sidecar'));
    const seen = await observe({}, { script: [{ step: 'watch', for: '500ms', every: '1ms' }], on });
    expect(of(seen, 'fault')).toMatchObject([
      { where: 'engine', message: expect.stringMatching(/the sidecar was lost/) },
    ]);
    const fault = of(seen, 'fault')[0];
    const lost = seen.filter((one) => one.kind === 'serving' && /sidecar was lost/.test(one.detail));
    expect(lost.length).toBeGreaterThan(0);
    for (const one of lost) expect(one.t).toBeGreaterThanOrEqual(fault?.t ?? Number.POSITIVE_INFINITY);
    expect(seen.at(-1)?.kind).toBe('end');
  });
});
