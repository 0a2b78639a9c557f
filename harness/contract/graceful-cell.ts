import type { Terms } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';

/** Whether a cell's signal, if its matrix has one, must end the service gracefully: of another end nothing is promised. */
export function isGracefulCell(cell: CellValues, terms: Terms): boolean {
  const signal = cell['signal'];
  return signal === undefined || terms.gracefulSignals.includes(String(signal));
}
