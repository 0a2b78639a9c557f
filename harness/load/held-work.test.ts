import { expect, it, vi } from 'vitest';
import { HarnessError } from '../model/errors.ts';
import * as wire from '../wire/connection.ts';
import { idleKeepAlive } from './idle-keep-alive.ts';
import { httpService, trial } from './testing.suite.ts';

vi.mock('../wire/connection.ts', { spy: true });

it('that this host can connect no more is a fault of ours, never an outcome, and nothing stays held', async () => {
  const real = await vi.importActual<typeof wire>('../wire/connection.ts');
  let connections = 0;
  vi.mocked(wire.openConnection).mockImplementation(async (...call) => {
    connections += 1;
    if (connections === 3) throw new HarnessError('this host cannot connect: EMFILE');
    return await real.openConnection(...call);
  });
  const run = trial((await httpService((_, response) => response.end('ok'))).access);
  await expect(idleKeepAlive({ shape: 'idle-keep-alive', count: 3 }, run.context)).rejects.toThrow(HarnessError);
  expect(run.of('work.held')).toHaveLength(2);
  expect(run.of('work.ended')).toMatchObject([{ fate: 'held' }, { fate: 'held' }]);
  expect(run.of('work.failed')).toEqual([]);
});
