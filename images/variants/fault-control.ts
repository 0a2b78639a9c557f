import type { ControlRoute } from '../reference/control-routes.ts';
import { ControlRoutes, controlRoutes } from '../reference/control-routes.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { Fault, Faults } from './fault.ts';

const withControl =
  (control: ControlRoutes): Fault =>
  (watcher) =>
    createRuntime(watcher, (port, handler, options) => new HttpTransport(port, handler, { ...options, control }));

class PrefixRoutes extends ControlRoutes {
  override find(method: string | undefined, target: string | undefined): ControlRoute | undefined {
    const prefix = ['/live', '/ready'].find((path) => target?.startsWith(path));
    return controlRoutes.find(method, prefix ?? target);
  }
}

const alwaysReady = new ControlRoutes({
  'GET /live': () => ({ status: 200, body: { live: true } }),
  'GET /ready': () => ({ status: 200, body: { ready: true } }),
});

/** What answers beside the gate: ADM-6 and ADM-7. */
export const controlFaults: Faults = {
  'stays-ready': withControl(alwaysReady),
  'matches-control-by-prefix': withControl(new PrefixRoutes({})),
  'ignores-control-inventory': withControl(new ControlRoutes({})),
};
