import { existsSync, writeFileSync } from 'node:fs';
import { clauses } from '../../contract/index.ts';
import { EXIT } from '../../judge/exit-codes.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { ImageFacts } from '../../model/engine.ts';
import { UsageError } from '../../model/errors.ts';
import { assumptionsOf, profileOfAssumptions } from '../../profile/from-discovery.ts';
import { writtenProfile } from '../../profile/written-profile.ts';
import { terminalLine } from '../../report/terminal-text.ts';
import { formatLook } from '../../report/wording-found.ts';
import { assumptionsInForce } from '../../run/assumed.ts';
import type { TargetFlags } from '../../run/said.ts';
import { choosePreset, gather } from '../../run/said.ts';
import { catchInterrupts } from '../interrupts.ts';
import { lookAt } from '../look.ts';
import { parseRunOptions } from '../options.ts';
import { createProgress } from '../progress.ts';

const STDOUT = '-';

/**
 * `lf-qualify init IMAGE`: looks at the running image and writes a commented profile of what it found: a run with it judges
 * the same as a run without. Gives the exit code. Throws UsageError for bad input and for a file that is there already,
 * EngineError for an engine that is missing or does not start the image.
 */
export async function init(image: string, raw: Readonly<Record<string, unknown>>): Promise<number> {
  const options = parseRunOptions([image], raw, process.env);
  const { out, flags, engines, source, vantage, verbose } = options;
  const force = raw['force'] === true;
  if (out !== STDOUT && !force && existsSync(out)) throw thereAlready(out);
  const progress = createProgress({ stream: process.stderr, verbose, total: () => 0 });
  const interrupt = catchInterrupts(progress);
  try {
    const looked = await lookAt(image, {
      engines,
      source,
      flags,
      progress,
      interrupt,
      ...(vantage === undefined ? {} : { vantage }),
    });
    const { text, keys } = profileFor(looked, flags, out === STDOUT ? 'lf-qualify.yaml' : out);
    if (out === STDOUT) process.stdout.write(text);
    else {
      write(out, text, force);
      const found = keys.length === 0 ? 'nothing was found to declare' : `it declares ${keys.join(', ')}`;
      process.stdout.write(`${terminalLine(`wrote ${out}: ${found}; run lf-qualify --profile ${out}`)}\n`);
    }
    return EXIT.qualified;
  } finally {
    progress.stop();
    interrupt.release();
  }
}

/** The profile of an image that was looked at, and the keys that it declares besides its name. */
export function profileFor(
  { discovery, facts }: { readonly discovery: Discovery; readonly facts: ImageFacts },
  flags: TargetFlags,
  file: string,
): { readonly text: string; readonly keys: readonly string[] } {
  const known = clauses.map(({ id }) => id);
  const found = assumptionsOf(discovery, facts);
  const said = gather(facts, undefined, flags, known, profileOfAssumptions(found));
  const assumptions = assumptionsInForce(said, found);
  const unseen = formatLook(discovery);
  const text = writtenProfile({
    image: facts.reference,
    seenOn: `${discovery.engine}, digest ${facts.digest.replace(/^sha256:/, '').slice(0, 12)}`,
    file,
    preset: choosePreset(said).preset,
    assumptions,
    envNames: Object.keys(flags.env),
    notes: unseen === undefined ? [] : [`Not seen: ${unseen}.`],
  });
  return { text, keys: assumptions.map(({ key }) => key) };
}

function write(out: string, text: string, force: boolean): void {
  try {
    writeFileSync(out, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw thereAlready(out);
    const why = code === 'ENOENT' ? 'there is no such folder' : `cannot be written (${code ?? message})`;
    throw new UsageError(`--out "${out}": ${why}; name another file, or - for stdout`, { cause: error });
  }
}

function thereAlready(out: string): UsageError {
  return new UsageError(
    `--out "${out}": is there already; overwrite it with --force, name another file, or - for stdout`,
  );
}
