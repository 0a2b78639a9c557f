/** What a scenario file imports: `import { scenario, ready, signal, exited } from 'lf-qualify'`. */
export { exited, hold, load, ready, signal, slowRequests, stop, watch } from './model/steps.ts';
export { scenario } from './run/scenario-registry.ts';
export type { Load, Scenario, SignalExpression, Step, TimeExpression } from './model/scenario.ts';
