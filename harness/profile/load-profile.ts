import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import { suggestion } from './nearest.ts';
import type { KeyPath } from './profile-document.ts';
import { holdsValuesOfEnv, ProfileDocument } from './profile-document.ts';
import type { ProfileSource } from './profile-source.ts';
import { profileFile, profileLabel } from './profile-source.ts';
import { knownKeys, profileSchema } from './schema.ts';
import { toProfile } from './to-profile.ts';

export interface LoadOptions {
  /** What `${NAME}` stands for. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** All clause ids, so that `require` and `waive` cannot name one that does not exist. Absent: only the form is checked. */
  readonly clauses?: readonly string[];
}

/**
 * Reads `lf-qualify.yaml`. Throws one UsageError that lists every mistake as `file:line: key: expected …, found …`.
 * Values of `secrets` and of all `env`, those of registry and faults too, are never part of a message.
 */
export async function loadProfile(path: string, options: LoadOptions = {}): Promise<Profile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new UsageError(`profile ${path}: ${why}; name an existing file with --profile`, { cause: error });
  }
  return parseProfile(text, path, { environment: process.env, ...options });
}

/** The same from text; `path` is for messages, for the profile's own `path`, and the place that `tls.ca` starts from. */
export function parseProfile(text: string, path: string, options: LoadOptions = {}): Profile {
  return parse(text, profileFile(path, options.environment), options.clauses);
}

/**
 * A whole profile in an image's label, in the same format (YAML, so JSON too): it cannot name files, nor `image` or
 * `engines`, and variables in it are not filled in. `name` stands for the file in messages. Throws UsageError.
 */
export function parseProfileLabel(text: string, name: string, clauses?: readonly string[]): Profile {
  return parse(text, profileLabel(name), clauses);
}

function parse(text: string, source: ProfileSource, clauses: readonly string[] | undefined): Profile {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const document = new ProfileDocument(source.name, yaml, lines);
  const { errors } = document.document;
  if (errors.length > 0) {
    fail(errors.map(({ pos, message }) => `${document.at(pos[0])}: not valid YAML: ${message.toLowerCase()}`));
  }
  document.keepEnvAsWritten();
  const content: unknown = document.document.toJS();
  const result = profileSchema.safeParse(content);
  if (!result.success) {
    const { issues } = result.error;
    const misspelt = issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join('.'));
    fail(
      issues.flatMap((issue) => {
        // A mapping with an unknown key says no more than that: what it lacks may be the key meant.
        if (issue.code === 'custom' && misspelt.includes(issue.path.join('.'))) return [];
        if (issue.code !== 'unrecognized_keys') {
          const found = describeFound(valueAt(content, issue.path), issue.path);
          return `${at(document, issue.path)}${issue.message}, found ${found}`;
        }
        const known = knownKeys[issue.path.filter((step) => typeof step !== 'number').join('.')] ?? [];
        return issue.keys.map((key) => {
          const hint = suggestion(key, known);
          return `${at(document, [...issue.path, key])}unknown key${hint}; expected one of ${known.join(', ')}`;
        });
      }),
    );
  }
  const mistakes: string[] = [];
  const profile = toProfile(result.data, source, {
    clauses,
    mistake: (path, message) => mistakes.push(`${at(document, path)}${message}`),
  });
  if (mistakes.length > 0) fail(mistakes);
  return profile;
}

function fail(messages: readonly string[]): never {
  throw new UsageError(messages.join('\n'));
}

function at(document: ProfileDocument, path: KeyPath): string {
  const key = path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
  return `${document.where(path)}: ${key === '' ? '' : `${key}: `}`;
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
  if (holdsValuesOfEnv(path)) {
    return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value} (not shown)`;
  }
  const json = JSON.stringify(value);
  return json.length <= 60 ? json : `${json.slice(0, 57)}...`;
}
