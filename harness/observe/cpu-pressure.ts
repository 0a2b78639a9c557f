import { readFile } from 'node:fs/promises';

/** For how long since its boot some process of this machine had to wait for a processor, ms; undefined where the kernel does not tell. */
export async function cpuPressureMs(file = '/proc/pressure/cpu'): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const total = /^some .*\btotal=(\d+)$/m.exec(text)?.[1];
  return total === undefined ? undefined : Number(total) / 1000;
}
