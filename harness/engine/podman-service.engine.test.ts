import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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

/** Whether any process of the group still does anything; a zombie that nobody reaps is over. */
const groupIsAlive = (group: number): boolean =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .some((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state = 'Z', , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(itsGroup) === group && !'ZX'.includes(state);
      } catch {
        return false;
      }
    });

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

  it.each(['SIGKILL', 'SIGTERM'] as const)('goes with the process that started it, ended by %s', async (signal) => {
    const program = `
      const { startPodmanService } = await import(${JSON.stringify(new URL('podman-service.ts', import.meta.url).href)});
      const { address, pid } = await startPodmanService(process.env);
      process.send({ address, pid });
    `;
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [{ address, pid }] = (await once(owner, 'message')) as [{ address: string; pid: number }];
    const folder = dirname(address.slice('unix://'.length));
    await access(folder);
    owner.kill(signal);
    await once(owner, 'exit');
    while (groupIsAlive(pid)) await sleep(10);
    await expect(access(folder)).rejects.toThrow('ENOENT');
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
    await expect(failed).rejects.toThrow(/podman system service did not start: .*podman: not found/s);
  });
});
