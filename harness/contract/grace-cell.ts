import type { CellValues } from '../model/plan.ts';

/** Whether a cell runs with the service's own grace: it has no column `grace`, or `normal` in it. */
export function isNormalGrace(cell: CellValues): boolean {
  return cell['grace'] === undefined || cell['grace'] === 'normal';
}

/** Whether work can outlast a grace in this cell: with the service's own or another one, but not with none. */
export function hasSomeGrace(cell: CellValues): boolean {
  return graceOfCell(cell) !== 0;
}

/** The grace that a cell asks for in its column `grace`, ms; undefined where it leaves the service's own. */
export function graceOfCell(cell: CellValues): number | undefined {
  return isNormalGrace(cell) ? undefined : Number(cell['grace']);
}
