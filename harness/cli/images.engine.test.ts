import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import type { EngineDriver } from '../engine/driver.ts';
import { podmanDriver } from '../engine/podman.ts';
import { findHelper } from '../run/helper-image.ts';
import { scratchImage } from '../run/scratch-image.ts';
import { packageRoot } from './package-info.ts';
import type { Call } from './testing.suite.ts';
import { call, tool } from './testing.suite.ts';

const docker = dockerDriver('unix:///var/run/docker.sock');
const podman = podmanDriver('unix:///run/podman/podman.sock');
const reference = 'lf-qualify/reference:dev';
const calls: Call[] = [];

afterEach(() => {
  for (const made of calls.splice(0)) made.dispose();
});

async function qualified(
  ...args: readonly string[]
): Promise<Call & { readonly exitCode: number | undefined; readonly text: string }> {
  const made = call(args);
  calls.push(made);
  const { exitCode, all } = await made.process;
  return { ...made, exitCode, text: all ?? '' };
}

describe('an image that only one engine has', () => {
  const tag = 'lf-qualify-test/only-docker:1';
  afterAll(async () => await docker.untagImage(tag));

  it('is carried over under a name of the run, which is gone afterwards', async () => {
    await loadUnique(docker, tag);
    const before = await docker.inspectImage(tag);
    const run = await qualified(tag, '--preset', 'baseline', '--only', 'SIG-1', '--ready', 'log:ready');
    expect(run.text).toMatch(/podman does not have it; carrying \w{12} over from docker/);
    const report = run.report();
    expect(report.targets.map(({ engine, facts }) => [engine, facts.digest])).toEqual([
      ['docker', before?.digest],
      ['podman', before?.digest],
    ]);
    const judged = report.targets.flatMap(({ verdicts }) => verdicts.filter(({ clause }) => clause === 'SIG-1'));
    expect(judged.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
    expect(run.exitCode).toBe(0);
    expect(await podman.inspectImage(before?.digest ?? '')).toBeUndefined();
    expect((await docker.inspectImage(tag))?.digest).toBe(before?.digest);
  });
});

describe('an image with other bytes under its name on the second engine', () => {
  const tag = 'lf-qualify-test/differs:1';
  afterAll(async () => {
    await docker.untagImage(tag);
    await podman.untagImage(tag);
  });

  it('is judged with the bytes of the first, and the user’s tag stays where it was', async () => {
    await loadUnique(docker, tag);
    await loadUnique(podman, tag);
    const others = await podman.inspectImage(tag);
    const run = await qualified(tag, '--preset', 'baseline', '--only', 'SIG-1', '--ready', 'log:ready');
    expect(run.text).toMatch(/podman has other bytes under this name \(\w{12}\); carrying/);
    expect(new Set(run.report().targets.map(({ facts }) => facts.digest)).size).toBe(1);
    expect((await podman.inspectImage(tag))?.digest).toBe(others?.digest);
  });
});

describe('an image of a foreign architecture', () => {
  const tag = 'lf-qualify-test/foreign:1';
  afterAll(async () => await docker.untagImage(tag));

  // It only says that it is foreign, so that it runs here without an emulator.
  it('is judged by what does not rest on time, and the report says why', async () => {
    await loadUnique(docker, tag, 's390x');
    const common = [tag, '--preset', 'baseline', '--ready', 'log:ready'];
    const run = await qualified(...common, '--only', 'SIG-1,IMG-2', '--platform', 'linux/s390x', '--pull', 'never');
    const report = run.report();
    expect(report.targets.map(({ engine, emulation }) => [engine, emulation])).toEqual([
      ['docker', expect.stringMatching(/^linux\/s390x emulated on \w+$/)],
      ['podman', expect.stringMatching(/^linux\/s390x emulated on \w+$/)],
    ]);
    for (const { verdicts } of report.targets) {
      const of = (id: string) => verdicts.find(({ clause }) => clause === id);
      expect(of('IMG-2')).toMatchObject({ outcome: 'pass' });
      expect(of('SIG-1')).toMatchObject({ outcome: 'inconclusive', samples: 1 });
    }
    expect(run.text).toMatch(/foreign:1 on docker: linux\/s390x emulated on \w+: nothing about time is judged/);
    expect(run.exitCode).toBe(2);
    const { exitCode, stderr } = await tool([...common, '--plan', '--platform', 'linux/arm/v7', '--pull', 'never']);
    expect(stderr).toMatch(
      /--platform "linux\/arm\/v7": image "[^"]+" is linux\/s390x on docker, linux\/arm\/v7 is expected/,
    );
    expect(exitCode).toBe(64);
  });
});

describe('an image that does not exist', () => {
  it('ends with 64 and says where it was looked for', async () => {
    const run = await qualified('lf-qualify-test/nowhere:0');
    expect(run.text).toMatch(/image "lf-qualify-test\/nowhere:0": no engine has it and it could not be pulled/);
    expect(run.text).not.toMatch(/\n {4}at /);
    expect(run.exitCode).toBe(64);
  });
});

describe('--keep', () => {
  it('leaves containers and network for a look, and clean removes them', async () => {
    const run = await qualified(reference, '--engine', 'podman', '--only', 'SIG-1', '--keep');
    expect(run.exitCode).toBe(0);
    const mine = async () => (await podman.owned()).filter((object) => object.run === run.report().run);
    expect((await mine()).map(({ type }) => type)).toEqual(expect.arrayContaining(['container', 'network']));
    expect((await tool(['clean'])).exitCode).toBe(0);
    expect(await mine()).toEqual([]);
  });
});

describe('--plan', () => {
  it('shows cells and clauses, and starts nothing', async () => {
    const { exitCode, stdout } = await tool([reference, '--plan', '--engine', 'docker']);
    expect(stdout).toMatch(/reference:dev on docker: preset light-fabric \(image label/);
    expect(stdout).toMatch(/signal\/no-load signal=TERM: .*SIG-1/);
    expect(stdout).toMatch(/\d+ containers in all, 3 of them to check the instrument/);
    expect(exitCode).toBe(0);
  });
});

// A mount namespace in which the engines' sockets are not there.
const unshare = '/usr/bin/unshare';
describe('no engine', () => {
  beforeAll(() => {
    const able = existsSync(unshare) && process.getuid?.() === 0;
    if (!able) throw new Error(`hiding the engines needs ${unshare} (util-linux) and root: run npm test as root`);
  });
  const script = 'mount -t tmpfs none /run && PATH=/nowhere exec "$0" "$@"';
  const hidden = async (...args: readonly string[]) =>
    await execa(unshare, ['-m', '/bin/sh', '-c', script, process.execPath, 'bin/lf-qualify.js', ...args], {
      reject: false,
      cwd: packageRoot,
      env: { NO_COLOR: '1' },
    });

  it('ends with 70, names every candidate and why it failed, and writes a report', async () => {
    const made = call(['--version']);
    calls.push(made);
    await made.process;
    const { exitCode, stderr } = await hidden(reference, '--out', made.out);
    const [fault] = made.report().faults;
    expect(fault?.message).toMatch(/no engine answers; tried:/);
    expect(fault?.message).toMatch(
      /docker at unix:\/\/\/var\/run\/docker\.sock \(well-known socket\): .*no such socket/,
    );
    expect(fault?.message).toMatch(/podman at podman \(podman command\): /);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(exitCode).toBe(70);
    expect(existsSync(`${made.out}/latest/junit.xml`)).toBe(true);
  });

  it('doctor ends with 70 too', async () => {
    expect((await hidden('doctor')).exitCode).toBe(70);
  });
});

/** A FROM-scratch image with bytes of its own: the helper, which ends at once after TERM. */
async function loadUnique(driver: EngineDriver, reference: string, architecture?: string): Promise<void> {
  const helper = await findHelper(packageRoot);
  const files = [
    { name: 'lfq-helper', content: helper?.bytes ?? Buffer.alloc(0), mode: 0o755 },
    { name: 'id', content: Buffer.from(randomUUID()), mode: 0o644 },
  ];
  const archive = await scratchImage({
    reference,
    files,
    entrypoint: ['/lfq-helper', 'exact', '0'],
    ...(architecture === undefined ? {} : { architecture }),
  });
  await driver.loadImage(archive, () => undefined);
}
