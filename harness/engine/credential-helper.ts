import { z } from 'zod';

/** A helper may ask a keyring that waits for its user: not for ever, ms. */
const HELPER_LIMIT_MS = 30_000;
/** What a helper gives as the name when its secret is a token. */
const TOKEN_USER = '<token>';

const answer = z.looseObject({ Username: z.string(), Secret: z.string() });

/** A name and a password, or an identity token. */
export type Secret = { readonly username: string; readonly password: string } | { readonly identitytoken: string };

/**
 * Asks `docker-credential-<helper> get` for a registry's credentials. Never throws: a helper that is missing, fails or
 * gives nothing usable is told to `say` by its name, without a word of its output, which may hold a secret.
 */
export async function askHelper(
  helper: string,
  registry: string,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<Secret | undefined> {
  const name = `docker-credential-${helper}`;
  // the name is a file name to look for on the PATH, never a path
  if (!/^[\w.-]+$/.test(helper)) {
    say(`credential helper ${JSON.stringify(helper)} is not a name: no credentials from it`);
    return undefined;
  }
  const { execa } = await import('execa');
  const result = await execa(name, ['get'], {
    env,
    extendEnv: false,
    input: registry,
    reject: false,
    stderr: 'ignore',
    timeout: HELPER_LIMIT_MS,
  });
  const given = result.failed ? undefined : read(result.stdout);
  if (given === undefined) say(`${name} gives no credentials for ${registry}: ${reasonOf(result)}`);
  return given;
}

function reasonOf(result: {
  readonly failed: boolean;
  readonly code?: string | undefined;
  readonly timedOut: boolean;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
}): string {
  if (!result.failed) return 'its answer is not what a credential helper says';
  if (result.code === 'ENOENT') return 'there is no such command on the PATH';
  if (result.timedOut) return `no answer within ${HELPER_LIMIT_MS} ms`;
  if (result.exitCode !== undefined) return `exit ${result.exitCode}`;
  return result.signal ?? result.code ?? 'it could not be run';
}

function read(output: string): Secret | undefined {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch {
    return undefined;
  }
  const { success, data } = answer.safeParse(value);
  if (!success) return undefined;
  if (data.Username === TOKEN_USER) return { identitytoken: data.Secret };
  return { username: data.Username, password: data.Secret };
}
