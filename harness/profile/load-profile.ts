import { readFile } from 'node:fs/promises';
import type { YAMLParseError } from 'yaml';
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import { entrySection, topSection } from './image-section.ts';
import type { KeyPath } from './profile-document.ts';
import { ProfileDocument } from './profile-document.ts';
import type { ProfileSource } from './profile-source.ts';
import { profileFile, profileLabel } from './profile-source.ts';
import type { ProfileFile } from './schema.ts';
import { profileSchema } from './schema.ts';
import type { Mistake } from './schema-mistakes.ts';
import { schemaMistakes } from './schema-mistakes.ts';
import { toProfile } from './to-profile.ts';

export interface LoadOptions {
  /** What `${NAME}` stands for. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** All clause ids, so that `require` and `waive` cannot name one that does not exist. Absent: only the form is checked. */
  readonly clauses?: readonly string[];
}

/** What one file says: of the images that it names, and of any other. */
export interface ProfileSet {
  /** As it was named, for messages. */
  readonly name: string;
  /** One for each image that the file names, in its order. */
  readonly entries: readonly Profile[];
  /** What holds for an image that the file does not name. Throws UsageError where that cannot be used without an entry. */
  defaults(): Profile;
}

/**
 * Reads `lf-qualify.yaml`. Throws one UsageError that lists every mistake as `file:line: key: expected …, found …`.
 * Values of `secrets` and of all `env`, those of registry, faults and dependencies too, are never part of a message.
 */
export async function loadProfile(path: string, options: LoadOptions = {}): Promise<ProfileSet> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file' : (error as Error).message;
    throw new UsageError(`profile ${path}: ${why}; name an existing file with --profile`, { cause: error });
  }
  return parseProfileSet(text, path, { environment: process.env, ...options });
}

/** The same from text; `path` is for messages, for the profile's own `path`, and the place that files start from. */
export function parseProfileSet(text: string, path: string, options: LoadOptions = {}): ProfileSet {
  return setFrom(parse(text, profileFile(path, options.environment)), options.clauses);
}

/** What a file says of an image that it does not name: all of it, where it has no `images`. Throws UsageError. */
export function parseProfile(text: string, path: string, options: LoadOptions = {}): Profile {
  return parseProfileSet(text, path, options).defaults();
}

/**
 * A whole profile in an image's label, in the same format (YAML, so JSON too): it cannot name files, nor `image`,
 * `images`, `engines` or `network`, and variables in it are not filled in. `name` stands for the file in messages. Throws
 * UsageError.
 */
export function parseProfileLabel(text: string, name: string, clauses?: readonly string[]): Profile {
  const source = profileLabel(name);
  try {
    return setFrom(parse(text, source), clauses).defaults();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nrun without the label with --no-label-profile`, { cause: error });
  }
}

/** A profile that comes with the product. Its variables are not filled in. Throws UsageError, which is a fault of ours. */
export function parseBundledProfile(text: string, path: string, service: string): Profile {
  return setFrom(parse(text, profileFile(path, {}, `bundled profile ${service}`)), undefined).defaults();
}

/** What the parser says of itself does not name the key that stands twice. */
function notYaml(document: ProfileDocument, { code, message, pos }: YAMLParseError): string {
  const key = code === 'DUPLICATE_KEY' ? document.keyAt(pos[0]) : undefined;
  return key === undefined
    ? `not valid YAML: ${message.toLowerCase()}`
    : `key ${JSON.stringify(key)} stands twice; leave one of them out`;
}

/** A document that has the form of a profile. */
interface Parsed {
  readonly document: ProfileDocument;
  readonly file: ProfileFile;
  readonly source: ProfileSource;
}

function parse(text: string, source: ProfileSource): Parsed {
  const lines = new LineCounter();
  const yaml = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const document = new ProfileDocument(source.name, yaml, lines);
  const { errors } = document.document;
  if (errors.length > 0) {
    const said = errors.map((error) => `${document.at(error.pos[0])}: ${notYaml(document, error)}`);
    throw new UsageError(said.join('\n'));
  }
  document.keepEnvAsWritten();
  const content: unknown = document.document.toJS();
  const result = profileSchema.safeParse(content);
  if (!result.success) fail(document, schemaMistakes(result.error.issues, content));
  return { document, file: result.data, source };
}

function setFrom({ document, file, source }: Parsed, clauses: readonly string[] | undefined): ProfileSet {
  const refused = Object.entries(source.refused).filter(([key]) => Object.hasOwn(file, key));
  const mistakes: Mistake[] = refused.map(([key, why]) => ({
    path: [key],
    message: `cannot stand in an image label: ${why}`,
  }));
  if (file.images !== undefined && refused.length > 0) fail(document, mistakes);
  const conversion = (into: Mistake[]) => ({
    source,
    engines: file.engines,
    clauses,
    tell: (path: KeyPath, message: string) => into.push({ path, message }),
  });
  const top = (into: Mistake[]): Profile => {
    const { tell } = conversion(into);
    return toProfile(topSection(file, tell), conversion(into));
  };
  if (file.images === undefined) {
    const profile = top(mistakes);
    if (mistakes.length > 0) fail(document, mistakes);
    return { name: source.name, entries: profile.image === undefined ? [] : [profile], defaults: () => profile };
  }
  if (file.image !== undefined) {
    mistakes.push({
      path: ['image'],
      message: 'expected it in one place, found image and images; leave one of them out',
    });
  }
  const entries = file.images.map((_, index) => {
    const { tell } = conversion(mistakes);
    return toProfile(entrySection(file, index, tell), conversion(mistakes));
  });
  mistakes.push(...twins(entries));
  if (mistakes.length > 0) fail(document, mistakes);
  return {
    name: source.name,
    entries,
    defaults() {
      const own: Mistake[] = [];
      const profile = top(own);
      if (own.length > 0) fail(document, own);
      return profile;
    },
  };
}

/** Reports tell subjects apart by their names. */
function twins(entries: readonly Profile[]): readonly Mistake[] {
  const nameOf = ({ name, image }: Profile): string | undefined => name ?? image;
  return entries.flatMap((entry, index) => {
    if (entries.findIndex((other) => nameOf(other) === nameOf(entry)) === index) return [];
    const message = `expected another name than that of an image before, found ${JSON.stringify(nameOf(entry))}; give each a name: of its own`;
    return [{ path: ['images', index, entry.name === undefined ? 'image' : 'name'], message }];
  });
}

function fail(document: ProfileDocument, mistakes: readonly Mistake[]): never {
  const said = mistakes.map(({ path, message }) => `${at(document, path)}${message}`);
  throw new UsageError([...new Set(said)].join('\n'));
}

function at(document: ProfileDocument, path: KeyPath): string {
  const key = path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? String(step) : `${text}.${String(step)}`;
  }, '');
  return `${document.where(path)}: ${key === '' ? '' : `${key}: `}`;
}
