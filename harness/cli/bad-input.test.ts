import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { tool } from './testing.suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-input-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const profile = join(folder, 'lf-qualify.yaml');
writeFileSync(profile, 'version: 1\nimage: shop:1\ngrase: 2s\n');
const envFile = join(folder, 'bad.env');
writeFileSync(envFile, 'hush\n');

describe('bad input ends with 64, names option, value and remedy, and shows no stack trace', () => {
  it.each([
    [['--nonsense'], /unknown option '--nonsense'/],
    [[], /no image is given: name one, as in lf-qualify orders:1\.4/],
    [['a b'], /image "a b": a name such as orders:1\.4 is expected/],
    [['x:1', '--engine', 'dokcer'], /--engine "dokcer": expected one of docker, podman/],
    [['x:1', '--preset', 'heavy'], /--preset "heavy": expected one of light-fabric, openab-cp, baseline/],
    [['x:1', '--grace', 'soon'], /--grace: "soon" is not a duration; write whole milliseconds/],
    [['x:1', '--timeout', '0'], /--timeout "0": an outer timeout of 0 kills at once/],
    [['x:1', '--port', '99999'], /--port "99999": expected a whole number from 1 to 65535/],
    [['x:1', '--ready', 'maybe'], /--ready "maybe": expected http:\/path/],
    [['x:1', '--ready', 'http:/up'], /no port is given: write|no port is given; write http:8080\/up/],
    [['x:1', '--ready', 'log:('], /--ready "log:\(": not a regular expression/],
    [['x:1', '--only', 'SIG-99'], /--only "SIG-99": no clause or scenario of that name; lf-qualify --list/],
    [
      ['x:1', '--only', 'drain/stalled:kind=silnt'],
      /drain\/stalled has no cell "kind=silnt"; its cells are named kind=silent\|/,
    ],
    [['x:1', '--only', 'drain/http2:over=h2'], /drain\/http2 has no cell "over=h2"; it has only one cell, "-"/],
    [['x:1', '--skip', 'drain/nothing'], /--skip "drain\/nothing": no clause or scenario/],
    [['x:1', '--pull', 'sometimes'], /--pull "sometimes": expected one of missing, always, never/],
    [
      ['x:1', '--platform', 'arm64'],
      /--platform "arm64": expected os\/arch or os\/arch\/variant, such as linux\/arm64/,
    ],
    [['x:1', '--from', 'containerd'], /--from "containerd": expected one of docker, podman/],
    [['x:1', '--jobs', '0'], /--jobs "0": expected a whole number from 1 to 64/],
    [['x:1', '--repeat', 'twice'], /--repeat "twice": expected a whole number/],
    [['x:1', '--keep-runs', '0'], /--keep-runs "0": expected all or a whole number from 1 to/],
    [['x:1', '--keep-runs', '-3'], /--keep-runs "-3": expected all or a whole number from 1 to/],
    [['x:1', '--keep-runs', 'some'], /--keep-runs "some": expected all or a whole number from 1 to/],
    [['x:1', '--scenarios', '/surely/not/here'], /--scenarios "\/surely\/not\/here": no such folder/],
    [['x:1', '--require', 'NOPE'], /--require "NOPE": no clause or family of that name; lf-qualify --list shows them/],
    [['x:1', '--out', join(profile, 'reports')], /--out ".*reports": .*lf-qualify\.yaml is no folder; name another/],
    [['x:1', '--format', 'pdf'], /--format "pdf": expected one of junit, json, console/],
    [['x:1', '--env', 'LFQ_SURELY_NOT_SET'], /--env "LFQ_SURELY_NOT_SET": LFQ_SURELY_NOT_SET is not set here; write/],
    [['x:1', '--profile', join(folder, 'none.yaml')], /none\.yaml: no such file; name an existing file with --profile/],
    [['--profile', profile], /lf-qualify\.yaml:3.*unknown key.*did you mean.*grace/s],
    [['--profile', folder, 'shop:1'], /lf-qualify\.yaml:3.*unknown key.*did you mean.*grace/s],
    [['x:1', '--env-file', envFile], /--env-file: expected NAME=value on each line, found something else on line 1: /],
    [['x:1', '--ready', 'healthy'], /--ready "healthy": expected .*log:REGEX or health/],
    [['judge', join(folder, 'no-run')], /no such file; name a directory that a run has written/],
    [['judge'], /missing required argument 'run-dir'/],
    [['explain', 'SIG-0'], /clause "SIG-0" is not known.*lf-qualify --list shows all/],
  ] as const)('%j', async (args, message) => {
    const { exitCode, stdout, stderr } = await tool(args);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(stdout).toBe('');
    expect(exitCode).toBe(64);
  });
});

describe('what needs no engine', () => {
  it.each([
    [['--version'], /^\d+\.\d+\.\d+\n?$/],
    [['--help'], /--engine <names>[\s\S]*Exit codes:[\s\S]*64 /],
    [['--help'], /--pull <when>[\s\S]*default: "missing"[\s\S]*--platform <os\/arch>[\s\S]*--from <engine>/],
    [['--list'], /SIG-1 +M +M +M[\s\S]*signal\/no-load/],
    [['explain', 'sig-1'], /^SIG-1 [\s\S]*requirement[\s\S]*remedy/],
  ] as const)('%j', async (args, text) => {
    const { exitCode, stdout, stderr } = await tool(args);
    expect(stdout).toMatch(text);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
  });
});

describe('the launcher itself, whose node takes options of ours for its own', () => {
  const launch = async (...args: readonly string[]) =>
    await execa(join(import.meta.dirname, '..', '..', 'bin', 'lf-qualify.js'), args, { reject: false });

  it('says of an --env-file that is not there what the command line says', async () => {
    const { exitCode, stderr } = await launch('x:1', '--env-file', join(folder, 'none.env'));
    expect(stderr).toMatch(/^lf-qualify: --env-file: expected a file with NAME=value lines, found no such file: /);
    expect(exitCode).toBe(64);
  });

  it('is not acted upon by what an --env-file says to the container', async () => {
    const file = join(folder, 'options.env');
    writeFileSync(file, 'NODE_OPTIONS=--require=/surely/not/here.js\n');
    const { exitCode, stdout, stderr } = await launch('--list', '--env-file', file);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('SIG-1');
  });
});
