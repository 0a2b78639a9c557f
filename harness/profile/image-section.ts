import type { KeyPath } from './profile-document.ts';
import type { ImageKeys, ProfileFile } from './schema.ts';
import { liftedTerms } from './schema-judgement.ts';

/** All that a file says of one image: what stands at the top, and what its entry in `images` says in place of that. */
export interface ImageSection {
  readonly keys: ImageKeys;
  /** The keys that are said, wherever. */
  readonly declared: readonly string[];
  /** Where in the file the key of a value stands. */
  where(path: KeyPath): KeyPath;
}

/** Whom a mistake is told: `expected …, found …` about one key. */
export type Tell = (path: KeyPath, message: string) => void;

/** What the top of the file says, of the one image or of those that `images` does not name. */
export function topSection(file: ProfileFile, tell: Tell): ImageSection {
  const { version: _version, images: _images, engines: _engines, ...top } = file;
  const keys = lifted(top, (path, message) => tell(path, message));
  const declared = [...new Set([...Object.keys(file), ...Object.keys(keys)])];
  return { keys, declared, where: (path) => path };
}

/**
 * What the file says of one of its `images`: a key of the entry replaces that of the top as a whole, lists too; only the
 * names in `env` are merged one by one.
 */
export function entrySection(file: ProfileFile, index: number, tell: Tell): ImageSection {
  const top = topSection(file, () => undefined);
  const entry: ImageKeys = file.images?.[index] ?? {};
  const keys = lifted(entry, (path, message) => tell(['images', index, ...path], message));
  const own = new Set(Object.keys(keys));
  const { env } = keys;
  return {
    keys: {
      ...top.keys,
      ...keys,
      ...(env === undefined ? {} : { env: { ...top.keys.env, ...env } }),
    },
    declared: [...new Set([...top.declared, ...Object.keys(entry), ...own])].filter((key) => key !== 'images'),
    where(path) {
      const [key, name] = path;
      if (key === 'env' && env !== undefined && name !== undefined && !Object.hasOwn(env, name)) return path;
      return own.has(String(key)) ? ['images', index, ...path] : path;
    },
  };
}

/** Terms that have a place at the top level are moved there, so that each stands in one place from here on. */
function lifted(section: ImageKeys, tell: Tell): ImageKeys {
  const { terms, ...keys } = section;
  if (terms === undefined) return section;
  const left = { ...terms };
  const moved: Partial<ImageKeys> = {};
  for (const term of liftedTerms) {
    if (terms[term] === undefined) continue;
    if (keys[term] !== undefined) tell(['terms', term], `expected it in one place, found ${term} at the top level too`);
    Object.assign(moved, { [term]: terms[term] });
    delete left[term];
  }
  return { ...keys, ...moved, terms: left };
}
