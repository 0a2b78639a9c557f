import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { scenarioFolder } from './package-info.ts';
import { scenarioProblems } from './scenario-check.ts';
import { loadScenarios } from './scenario-files.ts';
import { tool } from './testing.suite.ts';

const root = mkdtempSync(join(tmpdir(), 'lf-qualify-own-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
/** A new folder with these files, beside which nothing is installed. */
function folderOf(files: Readonly<Record<string, string>>): string {
  made += 1;
  const folder = join(root, `own-${made}`);
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const imports = `import { exited, hold, ready, scenario, signal, slowBodies } from 'lf-qualify';\n`;
const sound = (id: string, more = ''): string =>
  `${imports}scenario({ id: '${id}', title: 'ours', script: [ready(), signal('TERM'), exited()], clauses: ['SIG-1'], ${more} });\n`;

describe('a folder of scenarios of one’s own', () => {
  it.each([
    ['orders.scenario.ts', {}],
    ['orders.scenario.mts', {}],
    ['orders.scenario.js', {}],
    ['orders.scenario.mjs', {}],
    ['orders.scenario.ts', { 'package.json': '{ "type": "commonjs" }' }],
    ['orders.scenario.js', { 'package.json': '{ "type": "commonjs" }' }],
  ])('is listed with its file: %s beside %j', async (name, more) => {
    const folder = folderOf({ [name]: sound('orders/stop'), 'notes.txt': '', ...more });
    const { exitCode, stdout, stderr } = await tool(['--list', '--scenarios', folder]);
    expect(stderr).toBe('');
    expect(stdout).toContain(`  orders/stop\n      ours\n      SIG-1\n      ${join(folder, name)}`);
    expect(stdout).toContain('  signal/no-load\n');
    expect(exitCode).toBe(0);
  });

  it('may be given more than once, use types and import from beside it', async () => {
    const shared = `export const clauses: readonly string[] = ['SIG-1'];\n`;
    const text = `${imports}import type { Scenario } from 'lf-qualify';\nimport { clauses } from './shared.ts';
const one: Scenario = { id: 'two/b', title: 't', script: [ready(), exited()], clauses };\nscenario(one);\n`;
    const first = folderOf({ 'a.scenario.ts': sound('one/a') });
    const second = folderOf({ 'b.scenario.ts': text, 'shared.ts': shared, 'package.json': '{ "type": "commonjs" }' });
    const { exitCode, stdout, stderr } = await tool(['--list', '--scenarios', first, '--scenarios', second]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/ {2}one\/a\n[\s\S]* {2}two\/b\n/);
    expect(exitCode).toBe(0);
  });
});

describe('what is wrong with a folder of one’s own ends with 64, names file and reason, and shows no stack trace', () => {
  const file = 'x.scenario.ts';
  it.each([
    ['no scenario files', { 'x.ts': '' }, /--scenarios ".*": holds no \*\.scenario\.ts, \.mts, \.js or \.mjs/],
    [
      'a file that does not parse',
      { [file]: 'scenario({\n  id: ;\n' },
      /x\.scenario\.ts:2: cannot be loaded: SyntaxError/,
    ],
    [
      'a file that throws',
      { [file]: `${imports}\nthrow new Error('no luck');` },
      /x\.scenario\.ts:3: cannot be loaded: no luck/,
    ],
    ['an import that is not there', { [file]: `import './gone.ts';` }, /x\.scenario\.ts.*cannot be loaded: .*gone\.ts/],
    [
      'a step that does not exist',
      { [file]: `import { sleep } from 'lf-qualify';` },
      /x\.scenario\.ts.*: cannot be loaded: .*does not provide an export named 'sleep'/,
    ],
    ['a file without a scenario', { [file]: imports }, /x\.scenario\.ts: declares no scenario; call scenario/],
    [
      'two files with one id',
      { [file]: sound('same/id'), 'y.scenario.ts': sound('same/id') },
      /scenario "same\/id" is declared in .*x\.scenario\.ts and in .*y\.scenario\.ts; ids are unique/,
    ],
    [
      'the id of a bundled one',
      { [file]: sound('signal/no-load') },
      /scenario "signal\/no-load" is declared in .*no-load\.scenario\.ts and in .*x\.scenario\.ts/,
    ],
    [
      'an unknown clause',
      { [file]: sound('a/b').replace('SIG-1', 'SIG-99') },
      /x\.scenario\.ts: scenario "a\/b": clauses: "SIG-99" is no clause.*--list shows all/,
    ],
  ])('%s', async (_, files, message) => {
    const { exitCode, stdout, stderr } = await tool(['--list', '--scenarios', folderOf(files)]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stdout).toBe('');
    expect(exitCode).toBe(64);
  });

  it.each([
    ['nowhere', /--scenarios ".*nowhere": no such folder/],
    ['file.scenario.ts', /--scenarios ".*file\.scenario\.ts": is no folder; give the folder that holds/],
  ])('%s', async (name, message) => {
    const folder = folderOf({ 'file.scenario.ts': '' });
    const { exitCode, stderr } = await tool(['--list', '--scenarios', join(folder, name)]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(64);
  });
});

describe('the check of a scenario', () => {
  const good = { id: 'a/b', title: 't', script: [{ step: 'ready', answers: 2 }], clauses: ['SIG-1'] };

  it('finds nothing wrong with the bundled ones', async () => {
    const { scenarios } = await loadScenarios(scenarioFolder);
    const own = scenarios.filter(({ helper }) => helper === undefined);
    expect(own.length).toBeGreaterThan(10);
    for (const scenario of own) expect([scenario.id, scenarioProblems(scenario)]).toEqual([scenario.id, []]);
  });

  it.each([
    [null, /expected object/],
    [{ ...good, id: 'A b' }, /^id: expected lower-case words joined by - and \//],
    [{ ...good, title: '' }, /^title: expected text that is not empty/],
    [{ ...good, clauses: [] }, /^clauses: expected at least one clause id/],
    [{ ...good, clauses: ['SIGG-1'] }, /^clauses: "SIGG-1" is no clause \(did you mean "SIG-1"\?\)/],
    [{ ...good, script: [] }, /^script: expected at least one step/],
    [
      { ...good, script: [{ step: 'sleep', for: '1s' }] },
      /^script\[0\]\.step: unknown step "sleep"; known are ready, /,
    ],
    [{ ...good, script: [undefined] }, /^script\[0\]: /],
    [{ ...good, script: [{ step: 'hold' }] }, /^script\[0\]\.for: expected a time/],
    [{ ...good, script: [{ step: 'hold', for: 'soon' }] }, /^script: time expression "soon": .* neither a duration/],
    [{ ...good, script: [{ step: 'hold', for: '1s', more: 1 }] }, /^script\[0\]: Unrecognized key: "more"/],
    [
      { ...good, script: [{ step: 'signal', signal: 'SIGTERM' }] },
      /^script\[0\]\.signal: expected a signal without SIG/,
    ],
    [{ ...good, script: [{ step: 'signal', signal: '$which' }] }, /^script: "\$which" names no column/],
    [{ ...good, matrix: { wait: ['1s', 'soon'] }, script: [{ step: 'hold', for: '$wait' }] }, /^script: .*"soon"/],
    [
      { ...good, load: [{ shape: 'flood', count: 1 }] },
      /^load\[0\]\.shape: unknown shape "flood"; known are slow-body, /,
    ],
    [{ ...good, load: [{ shape: 'slow-body', count: 0 }] }, /^load\[0\]\.count: expected a whole number from 1/],
    [{ ...good, needs: ['htpt'] }, /^needs\[0\]: expected one of http, tcp, direct/],
    [{ ...good, setting: { controller: { kind: 'loud' } } }, /^setting\.controller\.kind: unknown kind "loud"/],
    [
      { ...good, matrix: { wait: ['1s'] }, sweep: { column: 'weit', to: '25ms' } },
      /^sweep\.column: "weit" is no column of the matrix \(did you mean "wait"\?\)/,
    ],
    [
      { ...good, matrix: { wait: ['1s', 'grace'] }, sweep: { column: 'wait', to: '25ms' } },
      /^sweep\.column: wait has the value "grace"; expected a plain time/,
    ],
    [{ ...good, sweep: { column: 'wait', to: 'grace/4' } }, /^sweep\.to: expected a plain time/],
    [{ ...good, helper: ['exit', '7'] }, /^helper: scenarios that run the helper check the instrument/],
  ])('%j', (declared, problem) => {
    expect(scenarioProblems(declared)[0]).toMatch(problem);
  });
});
