import { ControlRoutes, controlRoutes } from '../reference/control-routes.ts';
import type { ServiceRequest, ServiceResponse } from '../reference/exchange.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import { createRuntime } from '../reference/runtime.ts';
import type { ShutdownContext } from '../reference/shutdown-context.ts';
import { LateGate } from './fault-admission.ts';
import { ListenerStaysUp } from './fault-drain.ts';
import type { Fault, Faults } from './fault.ts';
import { pause } from './fault.ts';

/** Within the 1000 ms of a stop without load, and far beyond what is tolerated. */
const SERVES_ON_MS = 600;

/** Serves as before for a while after the signal, and stops only then. */
class ServesOn extends HttpTransport {
  override async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    await pause(SERVES_ON_MS, context);
    if (this.gate instanceof LateGate) this.gate.closeNow();
    return super.stop(context);
  }
}

const servesOn: Fault = (watcher) => {
  const runtime = createRuntime(watcher, (...parts) => new ServesOn(...parts));
  return { ...runtime, gate: new LateGate() };
};

/** A listener that stays up for the whole drain, and a liveness route that is not answered in it. */
class HangsLiveness extends ListenerStaysUp {
  protected override refuse(request: ServiceRequest, response: ServiceResponse): void {
    if (request.url !== '/live') super.refuse(request, response);
  }
}

const withoutLive = new ControlRoutes({
  'GET /ready': (gate) => controlRoutes.find('GET', '/ready')?.(gate) ?? { status: 503, body: {} },
});

const hangsLiveness: Fault = (watcher) =>
  createRuntime(
    watcher,
    (port, handler, options) => new HangsLiveness(port, handler, { ...options, control: withoutLive }),
  );

/** What a policy allows where it is declared, or never: ADM-5, ADM-6-live. */
export const policyFaults: Faults = { 'serves-on': servesOn, 'hangs-liveness': hangsLiveness };
