import { expect, it } from 'vitest';
import type { EngineDriver } from '../engine/driver.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import { basisOf, cellOf } from '../judge/testing/history-builder.ts';
import type { Observation } from '../model/observation.ts';
import { executeCell } from './execute.ts';

const image = fakeImageFacts('app:1');

it('output that a slow way delivers after the stored log was read is on record once', async () => {
  const program = () => ({ onStart: { output: [{ text: 'ready\nreceived\n' }], exit: { code: 0 } } });
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program } } });
  let sent: Buffer = Buffer.alloc(0);
  const driver: EngineDriver = {
    ...fake,
    // of the attached output no more than the beginning comes before the stored log is read, and its end never does
    start: async (spec, hooks) => {
      const container = await fake.start(spec, {
        ...hooks,
        onOutput: (stream, chunk) => {
          sent = chunk;
          hooks?.onOutput?.(stream, chunk.subarray(0, 9));
        },
        onOutputEnd: () => undefined,
      });
      const logs: typeof container.logs = async (listener, lastEntries) => {
        await container.logs(listener, lastEntries);
        hooks?.onOutput?.('stdout', sent.subarray(9));
      };
      return new Proxy(container, {
        get: (of, key) => {
          if (key === 'logs') return logs;
          const value: unknown = Reflect.get(of, key);
          return typeof value === 'function' ? value.bind(of) : value;
        },
      });
    },
  };
  const seen: Observation[] = [];
  await executeCell({
    run: 'r',
    harness: { version: '0', node: '24' },
    cell: cellOf({ values: {} }),
    scenario: { id: 'x/y', title: 't', script: [], clauses: [] },
    target: {
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
    },
    driver,
    engine: await fake.facts(),
    image,
    basis: basisOf(),
    network: 'n',
    ownership: { run: 'r', owner: 'o' },
    keep: false,
    openHistory: () => ({ append: (observation) => seen.push(observation), close: () => undefined }),
  });
  expect(seen.flatMap((o) => (o.kind === 'log' ? [o.text] : []))).toEqual(['ready', 'received']);
  expect(seen.find(({ kind }) => kind === 'log.complete')).toMatchObject({ attachedOpen: true, missing: [] });
});
