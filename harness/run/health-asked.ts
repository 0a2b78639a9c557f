import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver } from '../engine/driver.ts';
import type { Vantage } from '../observe/readiness.ts';

/** Between two questions: Podman runs the HEALTHCHECK for each, and Docker at the pace that the image declares. */
const PACE_MS = 100;

/** Asks an engine for the HEALTHCHECK of a container, at a pace that costs the container little. */
export function healthAsked(driver: EngineDriver, container: string): NonNullable<Vantage['health']> {
  let last = Promise.resolve();
  return async () => {
    await last;
    last = sleep(PACE_MS, undefined, { ref: false });
    return await driver.healthOf(container);
  };
}
