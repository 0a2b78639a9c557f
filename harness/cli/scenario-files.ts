import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../model/errors.ts';
import type { Scenario } from '../model/scenario.ts';
import { collectScenarios } from '../run/scenario-registry.ts';

/** Every scenario with the file that declares it. */
export interface ScenarioCatalogue {
  readonly scenarios: readonly Scenario[];
  readonly files: Readonly<Record<string, string>>;
}

/** Load every `*.scenario.ts` (or compiled `.js`) of a folder. Two scenarios with one id are an error that names both files. */
export async function loadScenarios(folder: string): Promise<ScenarioCatalogue> {
  const names = (await readdir(folder)).filter((name) => /\.scenario\.(ts|js)$/.test(name)).toSorted();
  const scenarios: Scenario[] = [];
  const files: Record<string, string> = {};
  for (const name of names) {
    const file = join(folder, name);
    collectScenarios((scenario) => {
      const other = files[scenario.id];
      if (other !== undefined)
        throw new UsageError(`scenario "${scenario.id}" is declared in ${other} and in ${file}; ids are unique`);
      files[scenario.id] = file;
      scenarios.push(scenario);
    });
    await import(pathToFileURL(file).href);
  }
  return { scenarios, files };
}
