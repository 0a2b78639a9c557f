import { deliveredSignals, endingOf, lastOf, ofKind } from '../contract/evidence/queries.ts';
import { stopDuration } from '../contract/evidence/stop-duration.ts';
import type { History } from '../model/history.ts';
import type { EngineHealth } from '../model/report.ts';

/** Scenario ids of the cells that judge the instrument, not the image (architecture rule 8). */
export const INSTRUMENT = {
  exit7: 'instrument/exit-7',
  sigkill: 'instrument/sigkill',
  control: 'instrument/control',
} as const;

/** The control container exits exactly this long after TERM, ms. */
export const CONTROL_MS = 250;

/**
 * Whether an engine may judge anything: the helper's exit 7 must be read back as 7 and our SIGKILL as 137. The control
 * container only says how noisy the machine is. `histories` are those of the instrument cells of this engine.
 */
export function healthOf(engine: string, histories: readonly History[]): EngineHealth {
  const of = (scenario: string): History | undefined =>
    histories.findLast((h) => h.header.cell.engine === engine && h.header.cell.scenario === scenario);
  const exit7 = of(INSTRUMENT.exit7);
  const sigkill = of(INSTRUMENT.sigkill);
  const seven = readBack(exit7);
  const killed = readBack(sigkill);
  const ours = sigkill !== undefined && sentKill(sigkill);
  const ok = seven === 7 && killed === 137 && ours;
  const seen = `exit 7 read as ${seven ?? 'nothing'}, SIGKILL read as ${killed ?? 'nothing'}${ours ? '' : ' (no SIGKILL of ours was delivered)'}`;
  const control = controlOf(of(INSTRUMENT.control));
  return { engine, selfTest: { ok, seen }, ...(control && { control }) };
}

function readBack(history: History | undefined): number | undefined {
  const state = history && lastOf(history, 'exit.state');
  return state && !state.running ? state.exitCode : undefined;
}

function sentKill(history: History): boolean {
  return ofKind(history, 'signal.delivered').some((o) => /^(?:SIG)?KILL$/.test(o.signal));
}

function controlOf(history: History | undefined): EngineHealth['control'] {
  if (!history || deliveredSignals(history).length === 0 || endingOf(history).how !== 'itself') return undefined;
  const { measurement } = stopDuration(history);
  if (!measurement) return undefined;
  const measuredMs = measurement.valueMs;
  return { expectedMs: CONTROL_MS, measuredMs, errorMs: measuredMs - CONTROL_MS };
}
