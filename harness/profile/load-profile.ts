import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { ReadySpec } from '../model/target.ts';
import { expand, UnsetVariable } from './expand.ts';
import { suggestion } from './nearest.ts';
import type { KeyPath } from './profile-document.ts';
import { ProfileDocument } from './profile-document.ts';
import type { ProfileFile } from './schema.ts';
import { knownKeys, profileSchema } from './schema.ts';

export interface LoadOptions {
  /** What `${NAME}` stands for. Default: the environment of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** All clause ids, so that `require` and `waive` cannot name one that does not exist. Absent: only the form is checked. */
  readonly clauses?: readonly string[];
}

/**
 * Reads `lf-qualify.yaml`. Throws one UsageError that lists every mistake as `file:line: key: expected …, found …`.
 * Values of `env` and `secrets` are never part of a message.
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

/** The same from text; `path` is only for messages and for the profile's own `path`. */
export function parseProfile(text: string, path: string, options: LoadOptions = {}): Profile {
  const lines = new LineCounter();
  const document = new ProfileDocument(path, parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines);
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
  return toProfile(result.data, document, options);
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
  if (path[0] === 'env' || path[0] === 'secrets') {
    return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'a mapping' : `a ${typeof value} (not shown)`;
  }
  const json = JSON.stringify(value);
  return json.length <= 60 ? json : `${json.slice(0, 57)}...`;
}

function toProfile(file: ProfileFile, document: ProfileDocument, options: LoadOptions): Profile {
  const mistakes: string[] = [];
  const filled = (text: string, path: KeyPath): string => {
    try {
      return expand(text, options.environment ?? {});
    } catch (error) {
      if (!(error instanceof UnsetVariable)) throw error;
      const remedy = `set it, or write \${${error.variable}:-default}`;
      mistakes.push(
        `${at(document, path)}expected the environment variable ${error.variable}, found it unset; ${remedy}`,
      );
      return text;
    }
  };
  const known = (clause: string, path: KeyPath): string => {
    const all = options.clauses;
    if (all !== undefined && !all.some((id) => id === clause || id.startsWith(`${clause}-`))) {
      mistakes.push(
        `${at(document, path)}expected a clause of the contract, found "${clause}"${suggestion(clause, all)}`,
      );
    }
    return clause;
  };
  const env = Object.fromEntries(
    Object.entries(file.env ?? {}).map(([name, value]) => [name, filled(value, ['env', name])]),
  );
  const profile = defined({
    version: 1 as const,
    path: resolve(document.file),
    image: file.image && filled(file.image, ['image']),
    preset: file.preset,
    engines: file.engines,
    command: file.command?.map((word, index) => filled(word, ['command', index])),
    env,
    // The name of an env key stands for its value. An empty text would mask everything.
    secrets: (file.secrets ?? [])
      .map((secret, index) => (Object.hasOwn(env, secret) ? (env[secret] ?? '') : filled(secret, ['secrets', index])))
      .filter((secret) => secret !== ''),
    port: file.port,
    ready: readySpec(file, document, mistakes),
    startTimeoutMs: file.startTimeout,
    graceMs: file.grace,
    graceEnv: file.graceEnv,
    outerTimeoutMs: file.outerTimeout,
    toleranceMs: file.tolerance,
    allowanceMs: file.allowance,
    acceptedStatuses: file.accept,
    slowEndpoints: (file.endpoints?.slow ?? []).map((endpoint) => {
      const [method = '', path = ''] = endpoint.split(' ');
      return { method, path };
    }),
    patterns: defined(file.logs ?? {}),
    require: (file.require ?? []).map((clause, index) => known(clause, ['require', index])),
    waivers: (file.waive ?? []).map((waiver, index) => {
      known(waiver.clause, ['waive', index, 'clause']);
      return waiver;
    }),
  });
  if (mistakes.length > 0) fail(mistakes);
  return profile;
}

function readySpec(file: ProfileFile, document: ProfileDocument, mistakes: string[]): ReadySpec | undefined {
  const origin = 'profile';
  const { http, tcp, log } = file.ready ?? {};
  if (tcp !== undefined) return { kind: 'tcp', port: tcp, origin };
  if (log !== undefined) return { kind: 'log', pattern: log, origin };
  if (http === undefined) return undefined;
  const { port = file.port, path } = typeof http === 'string' ? { path: http } : http;
  if (port !== undefined) return { kind: 'http', port, path, origin };
  const found = 'found none; add port: 8080, or write ready: { http: { port: 8080, path: /health } }';
  mistakes.push(`${at(document, ['ready', 'http'])}expected a port to ask, ${found}`);
  return undefined;
}

/** Without the keys whose value is undefined, so that absent stays absent. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
