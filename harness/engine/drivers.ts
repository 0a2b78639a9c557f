import type { EngineName } from '../model/engine.ts';
import { dockerDriver } from './docker.ts';
import type { EngineDriver } from './driver.ts';
import { podmanDriver } from './podman.ts';

/** Every engine that can be judged on, in the order in which they are looked for and shown. A new engine is one line here. */
const drivers: Readonly<Record<Exclude<EngineName, 'fake'>, (address: string, endpoint?: string) => EngineDriver>> = {
  docker: dockerDriver,
  podman: podmanDriver,
};

/** The names that `--engine` takes. */
export const engineNames: readonly EngineName[] = Object.keys(drivers) as EngineName[];

/** The driver of an engine at an address; `endpoint` is where to speak to it, if not there. Connects at the first call. */
export function openDriver(name: EngineName, address: string, endpoint?: string): EngineDriver {
  const open = drivers[name as keyof typeof drivers];
  if (open === undefined) throw new TypeError(`engine "${name}" has no driver`);
  return open(address, endpoint);
}
