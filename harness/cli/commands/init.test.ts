import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clauses } from '../../contract/index.ts';
import { processFact } from '../../judge/testing/history-builder.ts';
import type { Discovery } from '../../model/discovery.ts';
import type { ImageFacts } from '../../model/engine.ts';
import type { Profile } from '../../model/profile.ts';
import { assumptionsOf, profileOfAssumptions } from '../../profile/from-discovery.ts';
import { parseProfile } from '../../profile/load-profile.ts';
import { planTarget } from '../../run/plan.ts';
import { resolveTarget } from '../../run/resolve-target.ts';
import type { TargetFlags } from '../../run/said.ts';
import { lookAt } from '../look.ts';
import { scenarioFolder } from '../package-info.ts';
import { loadScenarios } from '../scenario-files.ts';
import { select } from '../selection.ts';
import { init, profileFor } from './init.ts';

vi.mock('../look.ts', () => ({ lookAt: vi.fn() }));

const facts: ImageFacts = {
  reference: 'orders:1',
  digest: `sha256:${'ab'.repeat(32)}`,
  entrypoint: [],
  command: [],
  user: '',
  stopSignal: { value: 'SIGTERM', origin: 'engine default' },
  exposedPorts: [8080],
  labels: {},
  hasHealthcheck: false,
  repoDigests: [],
};
const reachable = { exposed: false, listening: 'reachable' } as const;
const discovery: Discovery = {
  engine: 'docker',
  tookMs: 900,
  processes: [processFact(1, 0, ['java', '-jar', '/app.jar'])],
  ports: [
    { ...reachable, port: 8080, speaks: 'http', told: 'x', answers: { '/readyz': 200, '/livez': 200 } },
    { ...reachable, port: 8443, speaks: 'https', http2: true, told: 'x', answers: { '/': 200 } },
    { ...reachable, port: 25, speaks: 'tcp', told: 'x' },
  ],
  gaps: [],
};
const flags: TargetFlags = { env: {}, require: [] };

const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-init-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const out = join(folder, 'lf-qualify.yaml');

const { scenarios } = await loadScenarios(scenarioFolder);
const selection = select([], [], scenarios);

describe('a run with the profile that init writes', () => {
  /** What decides every verdict: how it is run, by what it is judged, and which cells there are. */
  function planned(given: { readonly profile?: Profile; readonly discovered?: Profile }, image: ImageFacts) {
    const resolved = resolveTarget({ facts: image, flags, selection, judgedOn: '2026-01-01', ...given });
    const { target, basis } = resolved;
    const plan = planTarget({ engine: 'docker', ...resolved, scenarios, selection, repeat: 1 });
    const { presetOrigin: _why, origins: _origins, ...judged } = basis;
    const { cells, unexercised, server } = plan;
    return { target: { ...target, ready: { ...target.ready, origin: '' } }, judged, cells, unexercised, server };
  }

  it.each<readonly [string, Discovery, Partial<ImageFacts>]>([
    ['a service with HTTP, TLS and a bare port', discovery, {}],
    ['a server of bare TCP', { ...discovery, ports: discovery.ports.slice(2) }, {}],
    [
      'an image that listens nowhere and is checked by its HEALTHCHECK',
      { ...discovery, ports: [] },
      { hasHealthcheck: true, exposedPorts: [] },
    ],
    ['nothing found at all', { ...discovery, ports: [], processes: [] }, { exposedPorts: [] }],
    ['an image with a label of its own', discovery, { labels: { 'io.lf-qualify.ready': 'tcp:8080' } }],
    ['an image that has a bundled profile', discovery, { reference: 'networknt/light-agent:1' }],
    ['an image that another signal stops', discovery, { stopSignal: { value: 'SIGQUIT', origin: 'image' } }],
  ])('runs and judges the same: %s', (_, seen, more) => {
    const image = { ...facts, ...more };
    const { text } = profileFor({ discovery: seen, facts: image }, flags, out);
    const profile = parseProfile(text, out, { clauses: clauses.map(({ id }) => id) });
    const discovered = profileOfAssumptions(assumptionsOf(seen, image));
    expect(planned({ profile }, image)).toEqual(planned({ discovered }, image));
  });

  it('differs from one that knows nothing', () => {
    const discovered = profileOfAssumptions(assumptionsOf(discovery, facts));
    expect(planned({ discovered }, facts)).not.toEqual(planned({}, facts));
  });
});

describe('lf-qualify init', () => {
  beforeEach(() => {
    rmSync(out, { force: true });
    vi.mocked(lookAt).mockReset().mockResolvedValue({ discovery, facts });
    vi.spyOn(process.stdout, 'write').mockReset().mockReturnValue(true);
  });
  const written = (): string =>
    vi
      .mocked(process.stdout.write)
      .mock.calls.map(([text]) => String(text))
      .join('');

  it('writes the file and says what it declares', async () => {
    expect(await init('orders:1', { out })).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('# What lf-qualify found in orders:1 (docker, digest abababababab).');
    expect(written()).toContain(
      `it declares port, tls, tcp, ready, endpoints.liveness, server, accept; run lf-qualify --profile ${out}`,
    );
  });

  it('does not look where the file is there, and overwrites it where that is said', async () => {
    writeFileSync(out, 'mine');
    await expect(init('orders:1', { out })).rejects.toMatchObject({
      name: 'UsageError',
      message: `--out "${out}": is there already; overwrite it with --force, name another file, or - for stdout`,
    });
    expect(lookAt).not.toHaveBeenCalled();
    expect(readFileSync(out, 'utf8')).toBe('mine');
    expect(await init('orders:1', { out, force: true })).toBe(0);
    expect(readFileSync(out, 'utf8')).toContain('port: 8080');
  });

  it('keeps a file that came while it looked', async () => {
    vi.mocked(lookAt).mockImplementation(async () => {
      writeFileSync(out, 'mine');
      return { discovery, facts };
    });
    await expect(init('orders:1', { out })).rejects.toThrow('is there already');
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });

  it('writes to stdout and nothing else there', async () => {
    expect(await init('orders:1', { out: '-' })).toBe(0);
    expect(parseProfile(written(), 'x')).toMatchObject({ image: 'orders:1', port: 8080 });
    expect(existsSync('-')).toBe(false);
  });

  it('a folder that is not there is named', async () => {
    await expect(init('orders:1', { out: join(folder, 'none', 'x.yaml') })).rejects.toThrow('there is no such folder');
  });

  it('gives the container what the command line says, and writes no value of it', async () => {
    await init('orders:1', { out, env: ['PASSWORD=hush'], engine: ['docker'], pull: 'never' });
    expect(vi.mocked(lookAt).mock.calls[0]?.[1]).toMatchObject({
      engines: ['docker'],
      source: { pull: 'never' },
      flags: { env: { PASSWORD: 'hush' } },
    });
    expect(readFileSync(out, 'utf8')).not.toContain('hush');
    expect(readFileSync(out, 'utf8')).toMatch(/^env: \{ PASSWORD: '\$\{PASSWORD\}' \}$/m);
  });

  it('of an image that ends by itself says so and declares nothing', async () => {
    const ended = { exitCode: 1, lastLines: ['DATABASE_URL'] };
    vi.mocked(lookAt).mockResolvedValue({ discovery: { ...discovery, ended }, facts });
    await init('orders:1', { out });
    expect(readFileSync(out, 'utf8')).toMatch(
      /^# Not seen: it ended by itself with exit status 1.*\n# DATABASE_URL\.$/m,
    );
    expect(written()).toContain('nothing was found to declare');
  });
});
