import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineDriver, OwnedObject } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import { identityState } from './owner.ts';

/** What a sweep did: what it removed and what it could not. */
export interface SweepResult {
  readonly removed: readonly OwnedObject[];
  readonly failures: readonly { readonly object: OwnedObject; readonly message: string }[];
}

/** Containers go before the networks they are on, images last. */
const ORDER: Readonly<Record<OwnedObject['type'], number>> = { container: 0, network: 1, image: 2 };

/** Owner of what `--keep` leaves behind: no process, so only `lf-qualify clean` removes it. */
export const KEPT = 'kept';

/** Remove the objects of runs that `mine` picks. Goes on past failures: each is reported (architecture rule 15). */
export async function sweep(driver: EngineDriver, mine: (object: OwnedObject) => boolean): Promise<SweepResult> {
  const objects = (await driver.owned()).filter(mine).toSorted((a, b) => ORDER[a.type] - ORDER[b.type]);
  const removed: OwnedObject[] = [];
  const failures: { object: OwnedObject; message: string }[] = [];
  for (const object of objects) {
    try {
      await driver.removeOwned(object);
      removed.push(object);
    } catch (error) {
      failures.push({ object, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { removed, failures };
}

/** A call that was under way when its process was killed may still come true: looked for again after this long. */
const LATE_ARRIVALS_MS = 500;
const MOST_SWEEPS = 8;
/** A busy engine may take longer than one such pause: so many looks in a row find nothing before it is believed. */
const QUIET_LOOKS = 2;

/**
 * Sweep until there is nothing more to remove, so that what a killed process had asked for and what arrives after the
 * first look goes too. With `expected: false` nothing late is expected: only what could not be removed is tried again.
 */
export async function sweepAll(
  driver: EngineDriver,
  mine: (object: OwnedObject) => boolean,
  late: { readonly expected: boolean; readonly pauseMs?: number },
): Promise<SweepResult> {
  const removed: OwnedObject[] = [];
  let latest = await sweep(driver, mine);
  removed.push(...latest.removed);
  let quiet = 0;
  for (let again = 1; again < MOST_SWEEPS && (late.expected || latest.failures.length > 0); again += 1) {
    await sleep(late.pauseMs ?? LATE_ARRIVALS_MS);
    latest = await sweep(driver, mine);
    removed.push(...latest.removed);
    quiet = latest.removed.length === 0 && latest.failures.length === 0 ? quiet + 1 : 0;
    if (quiet >= (late.expected ? QUIET_LOOKS : 1)) break;
  }
  return { removed, failures: latest.failures };
}

/**
 * Picks what a harness process that is no longer there left behind on an engine. Of an owner of another boot nothing can
 * be told, but a local engine serves one host: there it is an earlier boot of this one. One in another container of this
 * host may be alive: what it owns is left to its own next start, or to `lf-qualify clean --all`.
 */
export function abandoned(engine: Pick<EngineFacts, 'local'>): (object: OwnedObject) => boolean {
  return ({ owner }) => {
    if (owner === '' || owner === KEPT) return false;
    const state = identityState(owner);
    return state === 'dead' || (state === 'unknown' && engine.local);
  };
}
