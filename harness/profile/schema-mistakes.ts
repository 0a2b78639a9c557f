import type { z } from 'zod';
import { knownKeys } from './known-keys.ts';
import { nearest, suggestion } from './nearest.ts';
import type { KeyPath } from './profile-document.ts';
import { holdsHeaders, holdsValuesOfEnv } from './profile-document.ts';

/** One thing that is wrong with a profile: at which key, and what was expected and found there. */
export interface Mistake {
  readonly path: KeyPath;
  readonly message: string;
}

/** What the schema found, each as `expected …, found …`. Values that may be secret are never part of it. */
export function schemaMistakes(issues: readonly z.core.$ZodIssue[], content: unknown): readonly Mistake[] {
  const all = issues.flatMap((issue) => unfolded(issue, []));
  const misspelt = all.filter((issue) => issue.code === 'unrecognized_keys');
  const within = (path: KeyPath): readonly string[] =>
    misspelt.flatMap((issue) => (issue.path.join('.') === path.join('.') ? issue.keys : []));
  return all.flatMap((issue): readonly Mistake[] => {
    const { path } = issue;
    // A mapping with an unknown key says no more than that: what it lacks may be the key meant.
    if (issue.code === 'custom' && within(path).length > 0) return [];
    const lacks = valueAt(content, path) === undefined ? String(path.at(-1)) : undefined;
    if (lacks !== undefined && within(path.slice(0, -1)).some((key) => nearest(key, [lacks]) !== undefined)) return [];
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(path);
      return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, known, path) }));
    }
    if (issue.code === 'invalid_key') {
      const message = issue.issues[0]?.message ?? issue.message;
      return [{ path, message: `${message}, found ${JSON.stringify(path.at(-1))}` }];
    }
    return [{ path, message: `${issue.message}, found ${describeFound(valueAt(content, path), path)}` }];
  });
}

/** Of several forms, what is wrong with the one that was meant, where the value can be only one of them. */
function unfolded(issue: z.core.$ZodIssue, above: KeyPath): readonly z.core.$ZodIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((errors) =>
      errors.every((inner) => inner.path.length > 0 || !isOtherForm(inner)),
    );
    if (meant.length === 1) return (meant[0] ?? []).flatMap((inner) => unfolded(inner, path));
  }
  return [{ ...issue, path }];
}

function isOtherForm({ code }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value';
}

function unknownKey(key: string, known: readonly string[], path: KeyPath): string {
  const hint = suggestion(key, known);
  const elsewhere =
    hint === '' && path.length > 0 && knownKeys([]).includes(key) ? ' (it belongs to the top level)' : '';
  return `unknown key${hint}${elsewhere}; expected one of ${known.join(', ')}`;
}

function valueAt(content: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step],
    content,
  );
}

function describeFound(value: unknown, path: KeyPath): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'an empty value';
  // a text that stands where headers may be within is none of them
  const hidden = holdsHeaders(path) && (typeof value === 'object' || path.includes('headers'));
  if (hidden || holdsValuesOfEnv(path)) {
    return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value} (not shown)`;
  }
  const json = JSON.stringify(value);
  return json.length <= 60 ? json : `${json.slice(0, 57)}...`;
}
