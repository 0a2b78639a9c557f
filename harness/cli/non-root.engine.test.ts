import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import { podmanDriver } from '../engine/podman.ts';
import { ROOTLESS_USER, rootlessSocket } from '../engine/rootless-podman.suite.ts';
import type { Report } from '../model/report.ts';
import { broken, good, surprises } from '../../scripts/demo-verdict.ts';

const checkout = join(import.meta.dirname, '..', '..');

let socket: string;
let folder: string;
let asUser: readonly string[];

beforeAll(async () => {
  socket = await rootlessSocket();
  folder = await mkdtemp(join(tmpdir(), 'lfq-non-root-'));
  await execa('chown', [ROOTLESS_USER, folder]);
  const ids = ['--reuid', ROOTLESS_USER, '--regid', ROOTLESS_USER, '--init-groups'];
  const readable = await execa('setpriv', [...ids, 'test', '-r', join(checkout, 'package.json')], { reject: false });
  // A clone in the home of root cannot be read by others: then reading, and nothing else, is let through.
  const reading = ['--inh-caps', '+dac_read_search', '--ambient-caps', '+dac_read_search'];
  asUser = [...ids, ...(readable.failed ? reading : []), 'env', '-i', `HOME=${folder}`, `TMPDIR=${folder}`];
  const docker = dockerDriver('unix:///var/run/docker.sock');
  const rootless = podmanDriver(`unix://${socket}`);
  for (const image of [good, broken]) {
    const { stream } = await docker.saveImage(image);
    await rootless.loadImage(stream, () => undefined);
  }
  for (const driver of [docker, rootless]) driver.close();
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The command line as that user calls it, who has no XDG_RUNTIME_DIR. */
function call(...args: readonly string[]) {
  const program = [process.execPath, join(checkout, 'bin', 'lf-qualify.js'), ...args];
  const path = `PATH=${dirname(process.execPath)}:/usr/bin:/bin:/usr/sbin:/sbin`;
  return execa('setpriv', [...asUser, path, ...program], { cwd: folder, reject: false, all: true, stdin: 'ignore' });
}

it('doctor finds the rootless Podman of a user who is not root, and says why it uses no other engine', async () => {
  const { all, exitCode } = await call('doctor');
  expect(exitCode, all).toBe(0);
  expect(all).toContain('not as root');
  expect(all).toContain(`podman at unix://${socket} (well-known socket): answers`);
  expect(all).toMatch(/rootless +yes/);
  expect(all).toMatch(/vantage +sidecar: .*rootless/);
  expect(all).toMatch(/docker at unix:\/\/\/var\/run\/docker\.sock .*: this user may not use the socket/);
});

it('for a user who is not root the demo ends as it does anywhere, here with two of its scenarios (signals, many requests) and without IMG-6', async () => {
  // Without the kernel's process events IMG-6 is told by samples, and a busy machine may take them too late to tell;
  // images/matrix.engine.test.ts judges it.
  const chosen = ['--only', 'signal/no-load,drain/many-requests', '--skip', 'IMG-6'];
  const options = ['--engine', 'podman', '--timeout', '4s', ...chosen, '--out', 'reports'];
  const { all, exitCode } = await call(good, broken, ...options);
  const report = JSON.parse(await readFile(await reportFile(), 'utf8')) as Report;
  expect(report.engines).toMatchObject([{ name: 'podman', address: `unix://${socket}`, rootless: true }]);
  expect(surprises(report), all).toEqual([]);
  expect(exitCode).toBe(1);
});

async function reportFile(): Promise<string> {
  const { stdout } = await execa('find', [join(folder, 'reports'), '-name', 'report.json']);
  return stdout.trim();
}
