import { access } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { discoverEngines } from './discover.ts';
import { startPodmanService } from './podman-service.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('a Podman service of our own', () => {
  it('answers as Podman, and is gone after stop, with its socket', async () => {
    const service = await startPodmanService(process.env);
    const socket = service.address.slice('unix://'.length);
    await access(socket);
    expect(isAlive(service.pid)).toBe(true);
    await service.stop();
    await service.stop();
    expect(isAlive(service.pid)).toBe(false);
    await expect(access(socket)).rejects.toThrow('ENOENT');
  });

  it('is what discovery falls back to when only the command is there', async () => {
    const discovery = await discoverEngines({ env: process.env, wanted: ['podman'], wellKnown: [] });
    try {
      expect(discovery.candidates.at(-1)).toMatchObject({ engine: 'podman', origin: 'podman command' });
      expect(discovery.found.map(({ facts }) => facts.name)).toEqual(['podman']);
    } finally {
      await discovery.stop();
    }
  });

  it('says that there is no podman command', async () => {
    const failed = startPodmanService({ PATH: '/nonexistent' });
    await expect(failed).rejects.toThrow(/podman system service did not start: .*ENOENT/s);
  });
});
