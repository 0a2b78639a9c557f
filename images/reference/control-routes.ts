import type { AdmissionGate } from './admission-gate.ts';

/** What a control route says; it claims nothing and changes nothing. */
export type ControlRoute = (gate: AdmissionGate) => { readonly status: number; readonly body: object };

/**
 * The reviewed inventory of routes that answer while the gate is closed: exact method and exact request target, by
 * string comparison. No prefix, wildcard, trailing slash, query or other case slips through; everything else is
 * application work (ADM-7).
 */
export class ControlRoutes {
  readonly #routes: ReadonlyMap<string, ControlRoute>;

  constructor(routes: Readonly<Record<string, ControlRoute>>) {
    this.#routes = new Map(Object.entries(routes));
  }

  find(method: string | undefined, target: string | undefined): ControlRoute | undefined {
    return this.#routes.get(`${method} ${target}`);
  }
}

/** Liveness, and readiness as the gate has it. */
export const controlRoutes = new ControlRoutes({
  'GET /live': () => ({ status: 200, body: { live: true } }),
  'GET /ready': (gate) => ({ status: gate.isOpen ? 200 : 503, body: { ready: gate.isOpen } }),
});
