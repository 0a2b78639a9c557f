import type { Dialect } from './dialect.ts';
import type { EngineDriver } from './driver.ts';
import { engineApiDriver } from './engine-api.ts';

const DOCKER: Dialect = {
  name: 'docker',
  title: 'Docker',
  component: 'Engine',
  envName: 'DOCKER_HOST',
  killOnEnded: /is not running/i,
  // Docker holds the request until `until` if that lies ahead; 5 ms ahead so that an event of this instant is in.
  pastEvents: (createdS, nowS) => ({ since: Math.floor(createdS) - 1, until: (nowS + 0.005).toFixed(3) }) as never,
  cheapWait: true,
  identity: (info) => (typeof info['ID'] === 'string' && info['ID'] !== '' ? info['ID'] : undefined),
  rootless: (info) => Array.isArray(info['SecurityOptions']) && info['SecurityOptions'].includes('name=rootless'),
};

/** The driver for a Docker engine at `endpoint` (`unix://…` or `tcp://…`), shown as `address`. Connects at the first call; throws EngineError. */
export function dockerDriver(address: string, endpoint?: string): EngineDriver {
  return engineApiDriver(DOCKER, address, endpoint);
}
