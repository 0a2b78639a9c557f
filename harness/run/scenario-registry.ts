import type { Scenario } from '../model/scenario.ts';

const SINK = Symbol.for('lf-qualify.scenario-sink');
type Sink = (scenario: Scenario) => void;
const slots = globalThis as unknown as Record<symbol, Sink | undefined>;

/**
 * Declare a scenario. It is data: the planner reads it, the test runner's worker runs its cells. Whoever loads the
 * file collects what is declared through `collectScenarios`.
 */
export function scenario(definition: Scenario): Scenario {
  slots[SINK]?.(definition);
  return definition;
}

/** Call `sink` with every scenario declared from now on in this process (a global slot: the file may have its own copy of this module). */
export function collectScenarios(sink: Sink): void {
  slots[SINK] = sink;
}
