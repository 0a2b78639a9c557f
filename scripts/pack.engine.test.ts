import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../harness/model/report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const ownScenario = `import type { Scenario } from 'lf-qualify';
import { exited, hold, ready, scenario, signal } from 'lf-qualify';
import { clauses } from './clauses.ts';

const stop: Scenario = {
  id: 'orders/stop',
  title: 'orders stop when they are told to',
  script: [ready(), hold('100ms'), signal('TERM'), exited()],
  clauses,
};
scenario(stop);
`;

// npm and npx run on the Node of this repository, as they do for a user who has a new enough one.
const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}${delimiter}${process.env['PATH']}` };

describe('the packed package, installed in an empty folder', () => {
  let folder: string;
  let files: readonly string[];
  const npm = (cwd: string, ...args: readonly string[]) =>
    execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const qualify = (...args: readonly string[]) =>
    spawnSync('npx', ['--no-install', 'lf-qualify', ...args], { cwd: folder, env, encoding: 'utf8' });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lf-qualify-pack-'));
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    npm(root, 'pack', '--silent', '--pack-destination', packed);
    const tarball = join(packed, `lf-qualify-${version}.tgz`);
    files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
    npm(folder, 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    'package/bin/lf-qualify.js',
    'package/dist/harness/cli/main.js',
    'package/dist/harness/index.js',
    'package/dist/harness/observe/admission-probe-thread.js',
    'package/dist/harness/index.d.ts',
    'package/LICENSE',
    'package/README.md',
    'package/CHANGELOG.md',
    'package/schema/lf-qualify.schema.json',
    'package/profiles/light-fabric/light-agent.yaml',
  ])('brings %s', (file) => {
    expect(files).toContain(file);
  });

  it('brings scenarios, but neither tests nor sources that Node would have to transform', () => {
    expect(files.filter((file) => file.startsWith('package/dist/scenarios/'))).not.toEqual([]);
    expect(files.filter((file) => /\.(test|suite)\.|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it('says its version', () => {
    const { status, stdout, stderr } = qualify('--version');
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('qualifies a good image with exit code 0', () => {
    const { status, stdout, stderr } = qualify('lf-qualify/reference:dev');
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  });

  it('refuses a broken image with exit code 1', () => {
    const { status, stdout, stderr } = qualify('lf-qualify/shell-pid1:dev', '--only', 'IMG,SIG');
    expect(status, `${stdout}\n${stderr}`).toBe(1);
  });

  it('ends with 64 for an option that it does not have', () => {
    expect(qualify('--no-such-option').status).toBe(64);
  });

  describe('with scenarios of somebody’s own', () => {
    const options = ['lf-qualify/reference:dev', '--engine', 'docker', '--only', 'orders/,SIG-1', '--keep-runs', '1'];
    /** The cell that SIG-1 was judged by: a history of the user’s scenario. */
    const judged = (at: string): unknown => {
      const report = JSON.parse(readFileSync(join(at, 'reports/latest/report.json'), 'utf8')) as Report;
      const verdicts = report.targets.flatMap((target) => target.verdicts).filter(({ clause }) => clause === 'SIG-1');
      return verdicts.map(({ outcome, findings }) => [outcome, findings.map(({ history }) => history.split('/')[3])]);
    };
    let elsewhere: string;

    beforeAll(() => {
      // Nothing is installed beside the second, as when npx runs the package out of its cache.
      elsewhere = mkdtempSync(join(tmpdir(), 'lf-qualify [own] (1) '));
      for (const place of [folder, elsewhere]) {
        mkdirSync(join(place, 'own'));
        writeFileSync(join(place, 'own', 'orders.scenario.ts'), ownScenario);
        writeFileSync(join(place, 'own', 'clauses.ts'), `export const clauses: readonly string[] = ['SIG-1'];\n`);
      }
      // What `npm init` writes, and a tsconfig.json that only somebody else’s build can read.
      writeFileSync(join(elsewhere, 'package.json'), '{ "type": "commonjs" }');
      writeFileSync(join(elsewhere, 'tsconfig.json'), '{ "extends": "@not/installed" }');
    });
    afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

    it('runs them where it is installed', () => {
      const { status, stdout, stderr } = qualify(...options, '--scenarios', 'own');
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      expect(judged(folder)).toEqual([['pass', ['orders__stop']]]);
    });

    it('runs them from a folder beside which nothing is installed, and keeps as many runs as it is told', () => {
      const launcher = join(folder, 'node_modules', 'lf-qualify', 'bin', 'lf-qualify.js');
      const args = [launcher, ...options, '--scenarios', 'own'];
      for (let run = 1; run <= 2; run += 1) {
        const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: elsewhere, env, encoding: 'utf8' });
        expect(status, `${stdout}\n${stderr}`).toBe(0);
      }
      expect(judged(elsewhere)).toEqual([['pass', ['orders__stop']]]);
      expect(readdirSync(join(elsewhere, 'reports'))).toHaveLength(2); // the run and `latest`
    });

    it.each([
      ['accept them', (text: string) => text, true, ''],
      ['refuse a step that does not exist', (text: string) => text.replace('ready()', 'sleep()'), false, `'sleep'`],
      ['refuse a step made by hand', (text: string) => text.replace('ready()', `{ step: 'sleep' }`), false, '"sleep"'],
      ['refuse a number for a time', (text: string) => text.replace(`'100ms'`, '100'), false, `'number'`],
    ])('has types that %s', (_, change, sound, said) => {
      writeFileSync(join(folder, 'own', 'orders.scenario.ts'), change(ownScenario));
      const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'];
      const modules = ['--module', 'nodenext', '--types', '', '--skipLibCheck', 'false'];
      const tsc = join(root, 'node_modules', '.bin', 'tsc');
      const checked = spawnSync(tsc, [...strict, ...modules, 'own/orders.scenario.ts'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      expect(checked.stdout).toContain(said);
      expect(checked.status === 0, checked.stdout).toBe(sound);
    });
  });
});
