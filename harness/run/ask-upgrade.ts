import type { HeldWork } from '../load/traffic.ts';
import type { Target } from '../model/target.ts';
import type { Vantage } from '../observe/readiness.ts';
import type { Recorder } from '../observe/recorder.ts';
import { askForUpgrade } from '../observe/upgrade.ts';
import { accessOf } from './start-load.ts';

/** Ask for an upgrade on a new connection, and complete those that are half sent: side by side, until the outcomes are known. */
export async function askUpgrades(
  context: {
    readonly recorder: Recorder;
    readonly target: Target;
    readonly vantage: Vantage;
    readonly life: { readonly ended: AbortSignal };
  },
  held: readonly HeldWork[],
): Promise<void> {
  const { recorder, target, vantage, life } = context;
  const { address, dial } = vantage;
  const endpoint = target.endpoints.webSocket?.[0];
  if (address === undefined || endpoint === undefined) return;
  const way = accessOf('any', target, { address, ...(dial && { dial }) });
  const number = recorder.observations.filter((seen) => seen.kind === 'ws.upgrade' && seen.via === 'new').length + 1;
  const id = `upgrade-${number}`;
  await Promise.all([
    ...held.map((work) => work.upgrade?.()),
    ...('missing' in way ? [] : [askForUpgrade({ access: way.access, endpoint, id, recorder, ended: life.ended })]),
  ]);
}
