import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const built = import.meta.url.endsWith('.js');

/** Where package.json lies: two folders above in a clone, three in a published package (dist/harness/cli). */
export const packageRoot: string = join(here, built ? '../../..' : '../..');

/** Where the built-in scenarios lie, sources in a clone and compiled in a package. */
export const scenarioFolder: string = join(here, '../../scenarios');

/** The version in package.json. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  return version;
}
