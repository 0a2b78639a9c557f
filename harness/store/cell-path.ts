import { createHash } from 'node:crypto';
import type { CellRef } from '../model/plan.ts';

/** What a path is made from. */
export type CellPathParts = Pick<CellRef, 'engine' | 'image' | 'scenario' | 'cell' | 'repeat' | 'sample'>;

const longest = 100;

/**
 * Any text as one directory name: `/` becomes `__` and `:` becomes `+`; a text with other unsafe characters, or one that
 * would be mistaken for another, or that is too long, also gets a piece of its hash. Different texts give different names.
 */
export function slug(text: string): string {
  const readable = text
    .replaceAll('/', '__')
    .replaceAll(':', '+')
    .replace(/[^A-Za-z0-9_.=+@,-]/g, '_');
  const reversible = /^[A-Za-z0-9_=,@-][A-Za-z0-9_.=@,:/-]*$/.test(text) && !/__|_\/|\/_/.test(text);
  if (reversible && readable.length <= longest) return readable;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${readable.replace(/^\.+|^$/, '_').slice(0, longest - hash.length - 1)}~${hash}`;
}

/**
 * Directory of a cell's history relative to the run directory:
 * `cells/<engine>/<image>/<scenario>/<cell>/r<repeat>-s<sample>`. Never leaves the run directory, whatever the names are.
 */
export function cellPath(parts: CellPathParts): string {
  const { engine, image, scenario, cell, repeat, sample } = parts;
  for (const [name, value] of Object.entries({ repeat, sample })) {
    if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${name} ${value}: want a whole number from 1`);
  }
  return ['cells', slug(engine), slug(image), slug(scenario), slug(cell), `r${repeat}-s${sample}`].join('/');
}
