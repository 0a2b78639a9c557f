import { identityState } from '../run/owner.ts';
import { prune } from '../store/prune.ts';

/**
 * After a finished run: remove the oldest runs from the report folder until `keep` are left. What cannot be told to be
 * dead may be written by another host that shares the folder, and stays. Never throws: a run does not fail by it.
 */
export async function forgetOldRuns(root: string, keep: number, say: (line: string) => void): Promise<void> {
  try {
    const { removed, failures } = await prune(root, keep, (owner) => identityState(owner) !== 'dead');
    if (removed.length > 0) {
      const what = removed.length === 1 ? `the old run ${removed[0]}` : `${removed.length} old runs`;
      say(`removed ${what} from ${root}: --keep-runs ${keep} keeps the newest ones`);
    }
    for (const { name, message } of failures) say(`could not remove the old run ${name} from ${root}: ${message}`);
  } catch (error) {
    say(`old runs in ${root} could not be looked at: ${error instanceof Error ? error.message : String(error)}`);
  }
}
