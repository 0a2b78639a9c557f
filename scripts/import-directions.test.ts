import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const biome = join(root, 'node_modules', '.bin', 'biome');

/** One probe file: where it would stand, what it says, and the message that refuses it; null where it must pass. */
type Row = readonly [path: string, code: string, refusedWith: string | null];

const global = 'Do not use the global variable';

const rows: readonly Row[] = [
  ...['model', 'contract', 'judge', 'diagnose', 'report'].flatMap((folder): Row[] => [
    [`harness/${folder}/p.ts`, `import 'node:fs';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `import 'node:net';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `import 'execa';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `import 'vitest';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `import 'dockerode';`, `harness/${folder} is pure`],
    [
      `harness/${folder}/p.ts`,
      `import type { X } from '../engine/driver.ts';\nexport type Y = X;`,
      `${folder} is pure`,
    ],
    [`harness/${folder}/p.ts`, `export * from '../store/x.ts';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `export const x = import('../run/x.ts');`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `import '../index.ts';`, `harness/${folder} is pure`],
    [`harness/${folder}/p.ts`, `export const now = Date.now();`, 'noJsRestrictedProperties'],
    [`harness/${folder}/p.ts`, `export const now = new Date();`, 'reads no clock'],
    [`harness/${folder}/p.ts`, `export const now = performance.now();`, global],
    [`harness/${folder}/p.ts`, `setTimeout(() => undefined, 1);`, global],
    [`harness/${folder}/p.ts`, `export const env = process.env;`, global],
    [`harness/${folder}/p.ts`, `export const text = new Date(0).toISOString();`, null],
    [`harness/${folder}/p.ts`, `export * from './other.ts';`, null],
  ]),
  ['harness/model/p.ts', `export * from '../contract/x.ts';`, 'harness/model is pure'],
  ['harness/contract/p.ts', `import '../judge/x.ts';`, 'harness/contract is pure'],
  ['harness/contract/p.ts', `export * from '../model/clause.ts';`, null],
  ['harness/contract/presets/p.ts', `export * from '../../model/clause.ts';`, null],
  ['harness/contract/presets/p.ts', `export * from '../img.ts';`, null],
  ['harness/contract/presets/p.ts', `export * from '../../engine/x.ts';`, 'harness/contract is pure'],
  ['harness/judge/p.ts', `export * from '../contract/x.ts';`, null],
  ['harness/judge/p.ts', `import '../report/x.ts';`, 'harness/judge is pure'],
  ['harness/report/p.ts', `import '../engine/docker.ts';`, 'harness/report is pure'],
  ['harness/report/p.ts', `import '../judge/x.ts';`, 'harness/report is pure'],
  ['harness/report/p.ts', `import chalk from 'chalk';\nexport const x = chalk;`, null],

  ['harness/store/p.ts', `import 'node:fs';\nexport * from '../model/history.ts';`, null],
  ['harness/store/p.ts', `import '../judge/x.ts';`, 'harness/store is the only reader'],
  ['harness/store/p.ts', `import '../run/x.ts';`, 'harness/store is the only reader'],
  ['harness/profile/p.ts', `import '../engine/x.ts';`, 'harness/profile imports only'],
  ['harness/profile/p.ts', `import 'yaml';`, null],

  ['harness/engine/p.ts', `import 'dockerode';\nimport 'testcontainers';`, null],
  ['harness/engine/p.ts', `import '../run/x.ts';`, 'harness/engine imports only'],
  ['harness/engine/p.ts', `import 'vitest';`, 'only harness/vitest/'],
  ['harness/observe/p.ts', `import '../engine/docker.ts';`, 'harness/observe imports only'],
  ['harness/observe/p.ts', `import type { X } from '../engine/driver.ts';\nexport type Y = X;`, null],
  ['harness/observe/p.ts', `import 'dockerode';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/load/p.ts', `import '../engine/podman.ts';`, 'harness/load imports only'],
  ['harness/load/p.ts', `import 'testcontainers';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/load/p.ts', `import 'undici';\nexport * from '../observe/recorder.ts';`, null],
  ['harness/load/p.ts', `export * from '../wire/connection.ts';`, null],
  ['harness/observe/p.ts', `export * from '../wire/connection.ts';`, null],
  ['harness/wire/p.ts', `import 'node:tls';\nexport * from '../model/observation.ts';`, null],
  ['harness/wire/p.ts', `import '../load/x.ts';`, 'harness/wire imports only'],
  ['harness/wire/p.ts', `import 'testcontainers';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/contract/p.ts', `import '../wire/connection.ts';`, 'harness/contract is pure'],
  ['harness/inject/p.ts', `import '../run/x.ts';`, 'harness/inject imports only'],
  ['harness/inject/p.ts', `import type { X } from '../engine/driver.ts';\nexport type Y = X;`, null],

  ['harness/run/p.ts', `import 'vitest';`, 'only harness/vitest/'],
  ['harness/run/p.ts', `import 'vitest/node';`, 'only harness/vitest/'],
  ['harness/run/p.ts', `import '../cli/main.ts';`, 'imports point one way'],
  ['harness/run/p.ts', `import '../report/junit.ts';`, 'imports point one way'],
  ['harness/run/p.ts', `import '../vitest/scenario.ts';`, 'imports point one way'],
  ['harness/run/p.ts', `export * from '../store/x.ts';\nexport * from '../judge/y.ts';`, null],
  ['harness/vitest/p.ts', `import 'vitest/node';\nexport * from '../run/x.ts';`, null],
  ['harness/vitest/p.ts', `import '../cli/main.ts';`, 'imports point one way'],
  ['harness/vitest/p.ts', `import 'dockerode';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/cli/p.ts', `export * from '../vitest/x.ts';\nexport * from '../report/y.ts';`, null],
  ['harness/cli/p.ts', `import 'vitest/node';`, 'only harness/vitest/'],
  ['harness/cli/p.ts', `import 'testcontainers';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/index.ts', `import 'vitest';`, 'only harness/vitest/'],

  ['scenarios/p.scenario.ts', `import 'dockerode';`, 'a scenario is data'],
  ['scenarios/p.scenario.ts', `import 'vitest';`, 'a scenario is data'],
  ['scenarios/p.scenario.ts', `import 'node:fs';`, 'a scenario is data'],
  ['scenarios/p.scenario.ts', `import '../harness/run/x.ts';`, 'a scenario is data'],
  ['scenarios/drain/p.scenario.ts', `export * from '../../harness/index.ts';`, null],
  ['scenarios/p.scenario.ts', `export * from 'lf-qualify';`, null],

  ['harness/judge/p.test.ts', `import 'node:fs';\nimport 'vitest';\nsetTimeout(() => undefined, 1);`, null],
  ['harness/judge/p.test.ts', `import 'dockerode';`, 'only harness/engine/ imports an engine SDK'],
  ['harness/engine/p.suite.ts', `import 'vitest';\nimport 'dockerode';`, null],
  ['harness/run/p.test.ts', `import { it } from 'vitest';\nit.only('x', () => undefined);`, 'noFocusedTests'],
  ['harness/run/p.test.ts', `import { it } from 'vitest';\nit.skip('x', () => undefined);`, 'noSkippedTests'],
];

/** File of row n: several rows may name the same place. */
const fileOf = (path: string, row: number): string => path.replace('/p.', `/p${row}.`);

/** Lints one file per row with the rules of this repository, in one run; texts of all complaints by file. */
function lint(folder: string): ReadonlyMap<string, string> {
  for (const file of ['biome.json', 'package.json', 'scripts/lint']) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  for (const [row, [path, code]] of rows.entries()) {
    const file = join(folder, fileOf(path, row));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${code}\n`);
  }
  const options = ['lint', '--reporter=json', '--max-diagnostics=none', '--diagnostic-level=error', '.'];
  const { stdout } = spawnSync(biome, options, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { location: { path: string } }[] };
  const complaints = new Map<string, string>();
  for (const diagnostic of diagnostics) {
    const file = diagnostic.location.path;
    complaints.set(file, `${complaints.get(file) ?? ''}${JSON.stringify(diagnostic)}\n`);
  }
  return complaints;
}

describe('import directions', () => {
  let folder: string;
  let complaints: ReadonlyMap<string, string>;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lf-qualify-lint-')));
    complaints = lint(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(rows.map((row, index) => [...row, index] as const))(
    '%s: %j is refused: %j',
    (path, _code, refused, index) => {
      const said = complaints.get(fileOf(path, index)) ?? '';
      if (refused === null) expect(said).toBe('');
      else expect(said).toContain(refused);
    },
  );
});
