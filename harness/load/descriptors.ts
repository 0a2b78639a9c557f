import { readFile } from 'node:fs/promises';
import { HarnessError } from '../model/errors.ts';

/** What a worker has open besides: its engine's connections, files, and the probe. */
const BESIDES = 200;

/**
 * That this process may open so many connections. Throws HarnessError with the limit and the remedy where it may not: a
 * load that lacks descriptors halfway would look like a service that refuses.
 */
export async function assureDescriptors(
  connections: number,
  readLimits = (): Promise<string> => readFile('/proc/self/limits', 'utf8'),
): Promise<void> {
  const limits = await readLimits().catch(() => '');
  const limit = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  const needed = connections + BESIDES;
  if (limit === undefined || Number(limit) >= needed) return;
  throw new HarnessError(
    `${connections} connections at once need ${needed} open files, and the limit is ${limit}: raise it with ulimit -n ${needed}, or leave the scenario out with --skip`,
  );
}
