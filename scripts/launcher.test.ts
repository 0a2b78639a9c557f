import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oldest, refusal, tooOld } from '../bin/node-version.js';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the version of Node', () => {
  it.each([
    ['12.22.0', true],
    ['20.20.2', true],
    ['22.21.9', true],
    ['22.22.0', false],
    ['22.22.1', false],
    ['23.0.0-nightly', false],
    ['24.0.0', false],
  ])('%s is too old: %s', (version, expected) => {
    expect(tooOld(version)).toBe(expected);
  });

  it('is the one package.json names', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe(`>=${oldest.replace(/\.0$/, '')}`);
  });

  it('is refused in one line that repeats the arguments as the shell needs them', () => {
    const said = refusal('20.20.2', ['run', 'my image:1', '--env', `A='b'`]);
    expect(said.split('\n')).toHaveLength(1);
    expect(said).toContain('Node 20.20.2 is too old');
    expect(said).toMatch(/: npx -p node@24 -p lf-qualify lf-qualify run 'my image:1' --env 'A='\\''b'\\'''$/);
  });
});

describe('the launcher', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lf-qualify-launcher-'));
    cpSync(join(root, 'bin'), join(folder, 'bin'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const main = (file: string, text: string) => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const launch = (...preload: string[]) =>
    spawnSync(process.execPath, [...preload, join(folder, 'bin', 'lf-qualify.js'), '--version'], { encoding: 'utf8' });

  it('ends with 64 on an old Node before it loads anything else', () => {
    main('dist/harness/cli/main.js', `console.log('loaded');`);
    main('old.cjs', `Object.defineProperty(process.versions, 'node', { value: '20.0.0' });`);
    const { status, stdout, stderr } = launch('--require', join(folder, 'old.cjs'));
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain('lf-qualify --version');
  });

  it('starts what was built', () => {
    main('dist/harness/cli/main.js', `console.log('built');`);
    expect(launch().stdout).toBe('built\n');
  });

  it('starts the sources in a clone, though something was built too', () => {
    main('dist/harness/cli/main.js', `console.log('built');`);
    main('harness/cli/main.ts', `console.log('source' satisfies string);`);
    expect(launch().stdout).toBe('source\n');
  });

  it('ends with 70 and says why when what it starts is missing', () => {
    const { status, stderr } = launch();
    expect(status).toBe(70);
    expect(stderr).toContain('main.js');
  });
});
