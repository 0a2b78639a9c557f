import type { Scenario } from '../model/scenario.ts';

/**
 * The scenario with what its script, load and setting say outright as columns of one value, where the matrix has none of
 * that name: clauses tell by its columns what a cell can speak about (SIG-2 by `signal`), and whoever writes
 * `signal('INT')` should not have to say it twice. A script with several signals says none of them.
 */
export function withSpokenColumns(scenario: Scenario): Scenario {
  const { script, load = [], setting = {}, matrix = {} } = scenario;
  const signals = script.flatMap((step) => (step.step === 'signal' ? [step.signal] : []));
  const spoken = {
    signal: signals.length === 1 ? signals[0] : undefined,
    timeout: script.find((step) => step.step === 'stop')?.timeout,
    kind: load.find((one) => one.shape === 'stalled')?.kind,
    grace: setting.grace,
    fault: setting.fault,
  };
  const columns = Object.entries(spoken).flatMap(([name, value]) =>
    value === undefined || value.includes('$') || Object.hasOwn(matrix, name) ? [] : [[name, [value]] as const],
  );
  return columns.length === 0 ? scenario : { ...scenario, matrix: { ...matrix, ...Object.fromEntries(columns) } };
}
