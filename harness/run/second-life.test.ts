import { describe, expect, it } from 'vitest';
import type { EngineDriver } from '../engine/driver.ts';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { FakeBehaviour } from '../engine/fake-behaviour.ts';
import { basisOf, cellOf } from '../judge/testing/history-builder.ts';
import { EngineError } from '../model/errors.ts';
import type { Observation } from '../model/observation.ts';
import { exited, ready, restart, signal } from '../model/steps.ts';
import { executeCell } from './execute.ts';

const image = fakeImageFacts('app:1');
const GOOD: FakeBehaviour = {
  onStart: { output: [{ text: 'first\nready\n' }] },
  onStartAgain: { output: [{ text: 'second\nready\n' }] },
  onSignal: () => ({ output: [{ text: 'bye\n' }], exit: { code: 0 } }),
};

async function observe(
  behaviour: FakeBehaviour,
  options: { readonly keep?: boolean; readonly fail?: (call: string) => Error | undefined } = {},
): Promise<{ readonly seen: readonly Observation[]; readonly left: number }> {
  const { fail } = options;
  const fake = fakeEngine({ images: { 'app:1': { facts: image, program: () => behaviour } }, ...(fail && { fail }) });
  const driver: EngineDriver = fake;
  const seen: Observation[] = [];
  await executeCell({
    run: 'r',
    harness: { version: '0', node: '24' },
    cell: cellOf({ values: {} }),
    scenario: { id: 'x/y', title: 't', script: [ready(), signal('TERM'), exited(), restart()], clauses: [] },
    target: {
      name: 'app:1',
      image: image.digest,
      env: {},
      ready: { kind: 'log', pattern: '^ready', origin: 'profile' },
      startTimeoutMs: 300,
      files: [],
      volumes: [],
      outbound: false,
      dependencies: [],
      endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
      faults: {},
      secrets: ['hush-hush'],
    },
    driver,
    engine: await fake.facts(),
    image,
    basis: basisOf(),
    network: 'n',
    ownership: { run: 'r', owner: 'o' },
    keep: options.keep ?? false,
    openHistory: () => ({ append: (observation) => seen.push(observation), close: () => undefined }),
  });
  return { seen, left: fake.containers().length };
}

const second = (seen: readonly Observation[]) => seen.flatMap((o) => (o.kind === 'second.life' ? [o.seen] : []));
const kinds = (list: readonly { readonly kind: string }[]): readonly string[] => list.map(({ kind }) => kind);
const lines = (list: readonly { readonly kind: string }[]): readonly unknown[] =>
  list.flatMap((one) => (one.kind === 'log' && 'text' in one ? [one.text] : []));

describe('the second life of a container', () => {
  it('begins when all of the first is on record, and is told apart from it', async () => {
    const { seen, left } = await observe(GOOD);
    expect(lines(seen)).toEqual(['first', 'ready', 'bye']);
    expect(lines(second(seen))).toEqual(['second', 'ready']);
    for (const kind of ['container.started', 'ready', 'exit.state', 'log.complete']) {
      expect(kinds(seen).filter((one) => one === kind)).toEqual([kind]);
    }
    const began = seen.findIndex(({ kind }) => kind === 'second.life');
    for (const kind of ['exit.seen', 'exit.state', 'log.complete', 'engine.event'] as const) {
      expect(kinds(seen).lastIndexOf(kind)).toBeLessThan(began);
      expect(kinds(seen)).toContain(kind);
    }
    expect(kinds(second(seen))).toEqual(expect.arrayContaining(['container.started', 'ready', 'serving']));
    expect(kinds(seen).slice(-2)).toEqual(['container.removed', 'end']);
    expect(left).toBe(0);
  });

  it('is waited for until its own line says that it is ready', async () => {
    const { seen } = await observe({ ...GOOD, onStartAgain: { output: [{ text: 'second\n' }] } });
    const failed = second(seen).find(({ kind }) => kind === 'ready.failed');
    expect(failed).toMatchObject({ reason: 'timeout', lastError: 'no log line matches /^ready/ yet' });
    expect(kinds(seen)).not.toContain('ready.failed');
    expect(lines(second(seen))).toEqual(['second']);
  });

  it('is seen to end, with its status and its last line', async () => {
    const { seen, left } = await observe({
      ...GOOD,
      onStartAgain: { output: [{ text: 'pid file hush-hush' }], exit: { code: 3 } },
    });
    expect(second(seen).find(({ kind }) => kind === 'exit.state')).toMatchObject({ exitCode: 3 });
    expect(second(seen).find(({ kind }) => kind === 'ready.failed')).toMatchObject({ reason: 'exited' });
    expect(lines(second(seen))).toEqual(['pid file ***']);
    expect(seen.find(({ kind }) => kind === 'exit.state')).toMatchObject({ exitCode: 0 });
    expect(left).toBe(0);
  });

  it('is left for a look where containers are kept', async () => {
    const { seen, left } = await observe(GOOD, { keep: true });
    expect(left).toBe(1);
    expect(lines(second(seen))).toEqual(['second', 'ready']);
  });

  it.each<[string, FakeBehaviour]>([
    ['with a bad status', { ...GOOD, onSignal: () => ({ exit: { code: 3 } }) }],
    ['before it was ready', { onStart: { exit: { code: 0 } } }],
  ])('does not begin after an end %s', async (_, behaviour) => {
    const { seen, left } = await observe(behaviour);
    expect(kinds(seen)).not.toContain('second.life');
    expect(left).toBe(0);
  });

  it('that the engine refuses is on record; an engine that is lost is a fault', async () => {
    const failing = (error: EngineError) => (call: string) => (call.endsWith(' again') ? error : undefined);
    const refused = await observe(GOOD, { fail: failing(new EngineError('no such file')) });
    const message = expect.stringContaining('no such file') as unknown;
    expect(second(refused.seen)).toMatchObject([{ kind: 'ready.failed', message }]);
    const lost = await observe(GOOD, { fail: failing(new EngineError('gone', { lost: true })) });
    expect(lost.seen.find(({ kind }) => kind === 'fault')).toMatchObject({ where: 'engine' });
    expect(kinds(lost.seen)).not.toContain('second.life');
  });
});
