import { afterEach, describe, expect, it } from 'vitest';
import type { EngineServer, Respond } from './engine-server.suite.ts';
import { engineServer, podmanAnswers } from './engine-server.suite.ts';
import { podmanDriver } from './podman.ts';

const open: EngineServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const object = { type: 'container', id: 'c1', name: 'c1', run: 'r', owner: 'o' } as const;

/** Removes from a Podman that answers a removal with these messages, then with success. */
async function removal(...failures: readonly string[]): Promise<number> {
  let asked = 0;
  const server = await engineServer({
    ...podmanAnswers(),
    '/containers/c1': (_end: () => void, respond: Respond) => {
      const message = failures[asked++];
      respond(message === undefined ? 204 : 500, message);
    },
  });
  open.push(server);
  const driver = podmanDriver(server.address);
  try {
    await driver.removeOwned(object);
  } finally {
    driver.close();
  }
  return asked;
}

describe('removing a container', () => {
  it('is asked for again where it ended while Podman was killing it', async () => {
    const improper =
      'cannot remove container c1 as it could not be stopped: sending SIGKILL to container c1: container state improper: stopped';
    expect(await removal(improper, improper)).toBe(3);
  });

  it('fails with what the engine says otherwise', async () => {
    await expect(removal('device or resource busy')).rejects.toThrow('device or resource busy');
  });
});
