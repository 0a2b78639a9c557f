import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../model/errors.ts';
import type { Scenario } from '../model/scenario.ts';
import { allowImportsFrom } from '../run/scenario-imports.ts';
import { collectScenarios } from '../run/scenario-registry.ts';
import { scenarioProblems } from './scenario-check.ts';
import { withSpokenColumns } from './scenario-columns.ts';

/** Every scenario with the file that declares it. */
export interface ScenarioCatalogue {
  readonly scenarios: readonly Scenario[];
  readonly files: Readonly<Record<string, string>>;
}

const NAME = /\.scenario\.m?[tj]s$/;
const NAMES = '*.scenario.ts, .mts, .js or .mjs';

/** Load every `*.scenario.ts` (or compiled `.js`) of our own. Two scenarios with one id are an error that names both files. */
export async function loadScenarios(folder: string): Promise<ScenarioCatalogue> {
  const catalogue = new Catalogue();
  for (const name of (await readdir(folder)).filter((file) => NAME.test(file)).toSorted()) {
    const file = join(folder, name);
    for (const scenario of await declaredBy(file)) catalogue.add(scenario, file);
  }
  return catalogue;
}

/**
 * The catalogue with the scenarios of folders of somebody's own (`--scenarios`). Throws UsageError, with the file and what
 * is wrong there, for a folder that is none or holds none, a file that cannot be loaded or declares none, and a scenario
 * that is unsound or has an id that is taken.
 */
export async function addScenarios(bundled: ScenarioCatalogue, folders: readonly string[]): Promise<ScenarioCatalogue> {
  const catalogue = new Catalogue(bundled);
  for (const folder of new Set(folders.map((given) => resolve(given)))) {
    allowImportsFrom(folder);
    for (const name of await namesIn(folder)) {
      const file = join(folder, name);
      const declared = await ownDeclaredBy(file);
      if (declared.length === 0)
        throw new UsageError(`${file}: declares no scenario; call scenario({ … }), imported from 'lf-qualify'`);
      for (const scenario of declared) {
        const [problem] = scenarioProblems(scenario);
        const id = (scenario as Partial<Scenario> | null)?.id;
        if (problem !== undefined) throw new UsageError(`${file}: scenario ${JSON.stringify(id)}: ${problem}`);
        catalogue.add(withSpokenColumns(scenario), file);
      }
    }
  }
  return catalogue;
}

class Catalogue implements ScenarioCatalogue {
  readonly scenarios: Scenario[];
  readonly files: Record<string, string>;

  constructor({ scenarios, files }: ScenarioCatalogue = { scenarios: [], files: {} }) {
    this.scenarios = [...scenarios];
    this.files = { ...files };
  }

  add(scenario: Scenario, file: string): void {
    const other = this.files[scenario.id];
    if (other !== undefined)
      throw new UsageError(`scenario "${scenario.id}" is declared in ${other} and in ${file}; ids are unique`);
    this.files[scenario.id] = file;
    this.scenarios.push(scenario);
  }
}

async function declaredBy(file: string): Promise<readonly Scenario[]> {
  const declared: Scenario[] = [];
  collectScenarios((scenario) => declared.push(scenario));
  await import(pathToFileURL(file).href);
  return declared;
}

async function ownDeclaredBy(file: string): Promise<readonly Scenario[]> {
  try {
    return await declaredBy(file);
  } catch (error) {
    throw new UsageError(`${file}${lineIn(file, error)}: cannot be loaded: ${reasonOf(error)}`, { cause: error });
  }
}

/** `:3` where the trace, or what Node puts before it for a file that does not parse, names a line of this file. */
function lineIn(file: string, error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const name of [pathToFileURL(file).href, file]) {
    const at = stack.indexOf(`${name}:`);
    const [line] = at < 0 ? [] : (/^\d+/.exec(stack.slice(at + name.length + 1)) ?? []);
    if (line !== undefined) return `:${line}`;
  }
  return '';
}

function reasonOf(error: unknown): string {
  const [first = ''] = (error instanceof Error ? error.message : String(error)).trim().split('\n');
  return error instanceof Error && error.name !== 'Error' ? `${error.name}: ${first}` : first;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  let names: readonly string[];
  try {
    names = (await readdir(folder)).filter((name) => NAME.test(name)).toSorted();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT'
        ? 'no such folder'
        : code === 'ENOTDIR'
          ? `is no folder; give the folder that holds ${NAMES}`
          : message;
    throw new UsageError(`--scenarios "${folder}": ${why}`, { cause: error });
  }
  if (names.length === 0) throw new UsageError(`--scenarios "${folder}": holds no ${NAMES}`);
  return names;
}
