import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Lanes } from './lanes.ts';
import { processIdentity } from './owner.ts';

const directory = (): string => mkdtempSync(join(tmpdir(), 'lanes-'));

describe('machine-wide lanes', () => {
  it('lets shared holders in together', async () => {
    const lanes = new Lanes(directory());
    const [first, second] = await Promise.all([lanes.acquire('shared'), lanes.acquire('shared')]);
    first();
    second();
  });

  it('keeps everyone out while one is alone, and serves in order of arrival', async () => {
    const lanes = new Lanes(directory());
    const order: string[] = [];
    const shared = await lanes.acquire('shared');
    const alone = lanes.acquire('alone').then((release) => {
      order.push('alone');
      return release;
    });
    const late = lanes.acquire('shared').then((release) => {
      order.push('late shared');
      return release;
    });
    expect(order).toEqual([]);
    shared();
    (await alone)();
    (await late)();
    expect(order).toEqual(['alone', 'late shared']);
  });

  it('is not blocked by a holder that was killed', async () => {
    const shared = directory();
    const dead = processIdentity().replace(/:\d+(?=:\d+$)/, ':1'); // this pid with another start time: a process that is gone
    writeFileSync(join(shared, `00000000000000000001~alone~${dead}~0`), '');
    (await new Lanes(shared).acquire('shared'))();
  });

  it('is not blocked by what an earlier boot left', async () => {
    const shared = directory();
    writeFileSync(join(shared, '00000000000000000001~alone~another-boot:1:1~0'), '');
    (await new Lanes(shared).acquire('shared'))();
  });
});
