import { describe, expect, it } from 'vitest';
import type { EngineFacts } from '../model/engine.ts';
import type { Instrument } from './doctor-text.ts';
import { describeEngine } from './doctor-text.ts';

const rootful: EngineFacts = {
  name: 'docker',
  version: '20.10.24',
  apiVersion: '1.41',
  address: 'unix:///var/run/docker.sock',
  runtime: 'runc',
  rootless: false,
  local: true,
  cgroupVersion: '1',
  storage: 'overlay2',
  os: 'Debian GNU/Linux 12 (bookworm)',
  kernel: '6.1.0',
  architecture: 'x86_64',
  init: 'docker-init',
  clockOffsetMs: 0,
  clockErrorMs: 0,
};
const remote: EngineFacts = {
  ...rootful,
  address: 'tcp://build:2376',
  local: false,
  clockOffsetMs: -1234.56,
  clockErrorMs: 3.04,
};
const rootless: EngineFacts = {
  ...rootful,
  name: 'podman',
  version: '4.3.1',
  address: 'unix:///run/user/7/podman/podman.sock',
  rootless: true,
  init: '/usr/libexec/podman/catatonit',
};
const { init: _, ...withoutInit } = rootful;

const whole: Instrument = { helper: true, root: true };

/** The values of a row: the first line that has its name, with those that continue it. */
function row(lines: readonly string[], name: string): readonly string[] {
  const at = lines.findIndex((line) => line.startsWith(`  ${name.padEnd(16)}`));
  const after = lines.slice(at + 1).findIndex((line) => !line.startsWith(' '.repeat(18)));
  return lines.slice(at, after < 0 ? undefined : at + 1 + after).map((line) => line.slice(18));
}

describe('describeEngine', () => {
  it('shows every fact of a local rootful engine, on which everything is judged', () => {
    expect(describeEngine(rootful, whole)).toEqual([
      'docker 20.10.24',
      '  api             1.41',
      '  address         unix:///var/run/docker.sock',
      '  on this host    yes',
      '  runtime         runc',
      '  rootless        no',
      '  cgroup          v1',
      '  storage         overlay2',
      '  os              Debian GNU/Linux 12 (bookworm), kernel 6.1.0',
      '  platform        linux/amd64; an image of another one runs emulated, and nothing about time is judged',
      '  clock           the one of this host',
      '  vantage         direct: the engine is local and rootful; the route to each container decides',
      '  init            docker-init',
      '  not judged here nothing',
    ]);
  });

  it.each<[string, EngineFacts, Instrument, string, readonly (string | RegExp)[]]>([
    ['a remote clock', remote, whole, 'clock', ['1234.6 ms behind the one of this host, within 3 ms']],
    ['an unknown clock', { ...remote, clockErrorMs: Number.MAX_SAFE_INTEGER }, whole, 'clock', [/^unknown/]],
    ['a remote vantage', remote, whole, 'vantage', ['sidecar: the engine is not on this host']],
    ['a remote engine', remote, whole, 'not judged here', [/^IMG-6 but by process samples: .* of the engine’s host$/]],
    [
      'a remote engine without a helper',
      remote,
      { helper: false, root: true },
      'not judged here',
      [/^SIG-5 .*ADM-1 .*DRN-1 .*: a sidecar takes the helper/, /^IMG-6/],
    ],
    ['a user who is not root', rootful, { helper: true, root: false }, 'not judged here', [/^IMG-6 .* take root$/]],
    ['a rootless vantage', rootless, whole, 'vantage', [/^sidecar: .*rootless/]],
    [
      'a rootless Podman',
      rootless,
      whole,
      'not judged here',
      [/^a memory limit: .*cgroups v1/, /^an out-of-memory kill/],
    ],
    [
      'a newer rootless Podman with cgroups v2',
      { ...rootless, version: '5.2.0', cgroupVersion: '2' },
      whole,
      'not judged here',
      ['nothing'],
    ],
    ['no init', withoutInit, whole, 'init', ['none found']],
    [
      'no init',
      withoutInit,
      whole,
      'not judged here',
      [/^IMG-4-init IMG-5-init: no init was found; install docker-init/],
    ],
    [
      'no init of a remote Podman',
      { ...withoutInit, name: 'podman', version: '5.0.1', local: false },
      whole,
      'init',
      [/^unknown/],
    ],
    [
      'no init of a remote Podman',
      { ...withoutInit, name: 'podman', version: '5.0.1', local: false },
      whole,
      'not judged here',
      [/^IMG-6/],
    ],
    [
      'an old API',
      { ...rootful, apiVersion: '1.24' },
      whole,
      'api',
      ['1.24, older than 1.41: not tested, its answers may differ'],
    ],
    ['a newer API', { ...rootful, apiVersion: '1.100' }, whole, 'api', ['1.100']],
  ])('tells of %s', (_title, facts, instrument, name, expected) => {
    const values = row(describeEngine(facts, instrument), name);
    expect(values).toHaveLength(expected.length);
    for (const [index, value] of values.entries()) expect(value).toMatch(expected[index] ?? '');
  });
});
