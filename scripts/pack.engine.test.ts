import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

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
});
