import type { Case } from './table/case.ts';
import { init } from './table/init.ts';
import { logs } from './table/logs.ts';
import { memoryCases } from './table/memory.ts';
import { packageManagers } from './table/package-managers.ts';
import { pid } from './table/pid.ts';
import { shell } from './table/shell.ts';
import { startUp } from './table/start-up.ts';
import { stopSignals } from './table/stop-signals.ts';
import { supervisors } from './table/supervisors.ts';

export type { Case } from './table/case.ts';

/** Every case. */
export const cases: readonly Case[] = [
  ...pid,
  ...shell,
  ...packageManagers,
  ...init,
  ...supervisors,
  ...stopSignals,
  ...startUp,
  ...memoryCases,
  ...logs,
];

/** The name by which a case is reported. */
export const nameOf = ({ id, variant }: Case): string => (variant === undefined ? id : `${id}-${variant}`);
