import type { OwnedObject } from '../../engine/driver.ts';
import { EXIT } from '../../judge/exit-codes.ts';
import { terminalText } from '../../report/terminal-text.ts';
import { EngineError } from '../../model/errors.ts';
import { Lanes } from '../../run/lanes.ts';
import { identityState } from '../../run/owner.ts';
import { abandoned, KEPT, sweepAll } from '../../run/sweep.ts';
import type { OpenEngine } from '../session.ts';
import { openEngines } from '../session.ts';

/**
 * `lf-qualify clean`: remove what dead runs and `--keep` left; with `all` also what living runs own. What one engine
 * refuses takes nothing from the other.
 */
export async function clean(options: { readonly all?: boolean }): Promise<number> {
  new Lanes().sweep();
  const engines = await openEngines([], { ...process.env, CI: undefined });
  try {
    const counts = await Promise.all(engines.open.map((engine) => cleanEngine(engine, options.all === true)));
    const removed = counts.reduce((sum, count) => sum + count.removed, 0);
    const failed = counts.reduce((sum, count) => sum + count.failed, 0);
    process.stdout.write(
      removed === 0 && failed === 0
        ? 'nothing was left behind\n'
        : `${removed} removed, ${failed} could not be removed\n`,
    );
    return failed > 0 ? EXIT.fault : EXIT.qualified;
  } finally {
    await engines.close();
  }
}

function say(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${terminalText(line)}\n`);
}

interface Count {
  readonly removed: number;
  readonly failed: number;
}

async function cleanEngine({ driver, facts }: OpenEngine, all: boolean): Promise<Count> {
  const dead = abandoned(facts);
  const mine = (object: OwnedObject): boolean => all || object.owner === KEPT || dead(object);
  try {
    // A run that was killed a moment ago may have asked for something that is not there yet.
    const { removed, failures } = await sweepAll(driver, mine, { expected: true });
    for (const object of removed)
      say(process.stdout, `${facts.name}: removed ${object.type} ${object.name} of run ${object.run}`);
    for (const { object, message } of failures)
      say(process.stderr, `${facts.name}: could not remove ${object.type} ${object.name}: ${message}`);
    const hidden = (await driver.owned()).filter(({ owner }) => identityState(owner) === 'hidden');
    if (hidden.length > 0)
      say(
        process.stderr,
        `${facts.name}: left ${hidden.length} of runs in other containers of this host, which may be alive; --all removes them too`,
      );
    return { removed: removed.length, failed: failures.length };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    say(process.stderr, `${facts.name}: clean-up failed: ${error.message}`);
    return { removed: 0, failed: 1 };
  }
}
