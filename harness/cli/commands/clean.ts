import { EXIT } from '../../judge/exit-codes.ts';
import { abandoned, KEPT, sweep } from '../../run/sweep.ts';
import { openEngines } from '../session.ts';

/** `lf-qualify clean`: remove what dead runs and `--keep` left; with `all` also what living runs own. */
export async function clean(options: { readonly all?: boolean }): Promise<number> {
  const engines = await openEngines([], { ...process.env, CI: undefined });
  let failed = 0;
  let removed = 0;
  try {
    for (const { driver, facts } of engines.open) {
      const result = await sweep(
        driver,
        (object) => options.all === true || object.owner === KEPT || abandoned(facts)(object),
      );
      removed += result.removed.length;
      failed += result.failures.length;
      for (const object of result.removed)
        process.stdout.write(`${facts.name}: removed ${object.type} ${object.name} of run ${object.run}\n`);
      for (const { object, message } of result.failures)
        process.stderr.write(`${facts.name}: could not remove ${object.type} ${object.name}: ${message}\n`);
    }
  } finally {
    await engines.close();
  }
  process.stdout.write(
    removed === 0 && failed === 0
      ? 'nothing was left behind\n'
      : `${removed} removed, ${failed} could not be removed\n`,
  );
  return failed > 0 ? EXIT.fault : EXIT.qualified;
}
