import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const entry = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});
const file = z.looseObject({
  auths: z.record(z.string(), entry).nullish(),
  credsStore: z.string().nullish(),
  credHelpers: z.record(z.string(), z.string()).nullish(),
});

/** One registry's entry under `auths`. */
export type CredentialEntry = z.infer<typeof entry>;
/** What matters of Docker's config.json and Podman's auth.json, which share their form. */
export type CredentialFile = z.infer<typeof file>;

/** A place where a client keeps credentials, with its content: undefined where there is nothing. */
export interface CredentialPlace {
  /** For messages: a path, or the name of an environment variable. */
  readonly name: string;
  readonly content: CredentialFile | undefined;
}

/** The parsed text, or why it cannot be used. Never quotes it: it may hold passwords, and so may a parser's message. */
export function parseCredentials(text: string): CredentialFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const { success, data, error } = file.safeParse(value);
  if (success) return data;
  return `${error.issues[0]?.path.join('.') || 'the whole'} is not what Docker's client writes there`;
}

/** The file at a path. One that is not there is empty; what cannot be used is told to `say` and is empty too. */
export async function readCredentialFile(path: string, say: (line: string) => void): Promise<CredentialPlace> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') say(`${path} could not be read (${code}): no credentials from there`);
    return { name: path, content: undefined };
  }
  return placeOf(path, text, say);
}

/** The same for a text that is in an environment variable. */
export function placeOf(name: string, text: string, say: (line: string) => void): CredentialPlace {
  const content = parseCredentials(text);
  if (typeof content !== 'string') return { name, content };
  say(`${name}: ${content}: no credentials from there`);
  return { name, content: undefined };
}
