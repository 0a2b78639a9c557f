import { registerHooks } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const entry = new URL(`../index.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url).href;
const folders = new Set<string>();

/**
 * Let files of this folder import 'lf-qualify', which Node finds only where it is installed: not from a folder beside
 * which nothing is, when npx runs us. It is this very package. Their TypeScript and their scenarios are ES modules
 * whatever the package.json there says: `npm init` writes `"type": "commonjs"`.
 */
export function allowImportsFrom(folder: string): void {
  if (folders.size === 0) hook();
  folders.add(pathToFileURL(`${folder}${sep}`).href);
}

function hook(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'lf-qualify') return { url: entry, shortCircuit: true };
      const resolved = next(specifier, context);
      const format = formatOf(resolved.url);
      return format === undefined ? resolved : { ...resolved, format };
    },
  });
}

/** Undefined where Node decides. */
function formatOf(url: string): string | undefined {
  if (![...folders].some((folder) => url.startsWith(folder)) || !url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url.replace(/[?#].*$/, ''));
  if (path.includes(`${sep}node_modules${sep}`)) return undefined;
  if (/\.m?ts$/.test(path)) return 'module-typescript';
  return /\.scenario\.m?js$/.test(path) ? 'module' : undefined;
}
