import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** An env file that cannot be used; the message says what was expected and found, never what stands in the file. */
export class UnusableEnvFile extends Error {}

/**
 * `NAME=value` lines, as Node reads them: comments, quotes, several lines in quotes, `export` in front. A line that is
 * nothing of the kind is refused, where Node would leave it out. Throws UnusableEnvFile.
 */
export function readEnvFile(path: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'no such file' : `one that cannot be read (${code ?? message})`;
    throw new UnusableEnvFile(`expected a file with NAME=value lines, found ${why}: ${path}`, { cause: error });
  }
  // A quoted value may go over lines, which then have no form of their own; the lines are kept for their numbers.
  const lines = text
    .replace(/=[^\S\n]*(["'`])(?:(?!\1)[\s\S])*\1/g, (quoted) => `=${'\n'.repeat(quoted.split('\n').length - 1)}`)
    .split('\n');
  const wrong = lines.findIndex((line) => !/^\s*(?:#.*|(?:export\s+)?[A-Za-z_][\w.-]*\s*=.*)?$/.test(line));
  if (wrong >= 0) {
    throw new UnusableEnvFile(`expected NAME=value on each line, found something else on line ${wrong + 1}: ${path}`);
  }
  return parseEnv(text) as Record<string, string>;
}
