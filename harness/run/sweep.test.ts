import { describe, expect, it } from 'vitest';
import type { EngineDriver, OwnedObject } from '../engine/driver.ts';
import { processIdentity } from './owner.ts';
import { abandoned, KEPT, sweep, sweepAll } from './sweep.ts';

const dead = processIdentity().replace(/:\d+(?=:\d+$)/, ':1');
const object = (type: OwnedObject['type'], name: string, owner: string): OwnedObject => ({
  type,
  id: name,
  name,
  run: 'r',
  owner,
});

function engine(objects: readonly OwnedObject[], stuck: readonly string[] = []) {
  const removed: string[] = [];
  const driver = {
    owned: async () => objects,
    removeOwned: async ({ name }: OwnedObject) => {
      if (stuck.includes(name)) throw new Error('in use');
      removed.push(name);
    },
  } as unknown as EngineDriver;
  return { driver, removed };
}

describe('a sweep', () => {
  it('removes containers before the networks they are on, and images last', async () => {
    const { driver, removed } = engine([
      object('image', 'i', dead),
      object('network', 'n', dead),
      object('container', 'c', dead),
    ]);
    await sweep(driver, abandoned({ local: true }));
    expect(removed).toEqual(['c', 'n', 'i']);
  });

  it('goes on past what it cannot remove, and says so', async () => {
    const { driver, removed } = engine([object('container', 'stuck', dead), object('container', 'c', dead)], ['stuck']);
    const { failures } = await sweep(driver, abandoned({ local: true }));
    expect(removed).toEqual(['c']);
    expect(failures).toEqual([{ object: expect.objectContaining({ name: 'stuck' }), message: 'in use' }]);
  });

  it.each([
    ['a dead process of this boot', dead, true, true],
    ['this process', processIdentity(), true, false],
    ['an earlier boot of the host that the engine is on', 'elsewhere:1:1', true, true],
    ['another host of a remote engine, of which nothing can be told', 'elsewhere:1:1', false, false],
    ['a process in another container of this host', processIdentity().replace(/\d+$/, '1'), true, false],
    ['a dead process, named without its namespace', dead.replace(/:\d+$/, ''), true, true],
    ['this process, named without its namespace', processIdentity().replace(/:\d+$/, ''), true, false],
    ['somebody who asked to keep it', KEPT, true, false],
    ['nobody', '', true, false],
  ])('what is owned by %s', (_, owner, local, expected) => {
    expect(abandoned({ local })(object('container', 'c', owner))).toBe(expected);
  });
});

describe('what a killed process had asked for', () => {
  const late = { type: 'container', id: 'late', name: 'lfq-late', run: 'r', owner: 'o' } as const;
  /** An engine that owns what each look in turn shows; every look after the last shows nothing. */
  const looks = async (expected: boolean, ...shown: readonly (readonly OwnedObject[])[]) => {
    let asked = 0;
    const driver = { owned: async () => shown[asked++] ?? [], removeOwned: async () => undefined };
    const { removed } = await sweepAll(driver as never, () => true, { expected, pauseMs: 0 });
    return { asked, removed: removed.map(({ id }) => id) };
  };

  it('is removed also where it comes after a look that found nothing', async () => {
    expect(await looks(true, [], [], [late])).toEqual({ asked: 5, removed: ['late'] });
  });

  it('is not waited for where nothing late is expected', async () => {
    expect(await looks(false, [late], [late])).toEqual({ asked: 1, removed: ['late'] });
  });
});
