import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execa } from 'execa';
import { parse } from 'yaml';
import { dockerDriver } from '../engine/docker.ts';
import { podmanDriver } from '../engine/podman.ts';
import type { Report, ReportedTarget } from '../model/report.ts';
import type { Call } from './testing.suite.ts';
import { call } from './testing.suite.ts';

/* A service that needs a real PostgreSQL; `npm run images` builds both. */

const image = 'lf-qualify/needs-database:dev';
const folder = join(import.meta.dirname, '..', '..', 'images', 'needs-database');
const profile = join(folder, 'lf-qualify.yaml');
const password = 'open-sesame-4711';
const { clauses: expected } = parse(readFileSync(join(folder, 'expected.yaml'), 'utf8')) as {
  readonly clauses: Readonly<Record<string, string>>;
};
const asNew = 'database found rows=0';

const everyFile = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const databaseSaid = (directory: string, engine: string): readonly string[] =>
  everyFile(join(directory, 'cells', engine))
    .filter((path) => path.endsWith('history.jsonl') && path.includes('needs-database'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/database found rows=\d+/) ?? ['nothing']);

/** The outcomes of what was judged. */
const outcomesOf = ({ verdicts }: ReportedTarget): Readonly<Record<string, string>> =>
  Object.fromEntries(
    verdicts.flatMap(({ clause, outcome }) => (outcome === 'not exercised' ? [] : [[clause, outcome]])),
  );

const made: { folders: string[]; calls: Call[] } = { folders: [], calls: [] };
afterAll(() => {
  for (const one of made.calls) one.dispose();
  for (const one of made.folders) rmSync(one, { recursive: true, force: true });
});

/** A call with a profile; its own reports are removed in the end. */
function qualify(path: string, ...options: readonly string[]): Call {
  const one = call(['--profile', path, '--timeout', '4s', ...options], { DATABASE_PASSWORD: password });
  made.calls.push(one);
  return one;
}

/** The profile with one thing replaced, in a folder of its own. */
function profileWith(old: RegExp, by: string): string {
  const own = mkdtempSync(join(tmpdir(), 'lf-qualify-dependency-'));
  made.folders.push(own);
  const changed = readFileSync(profile, 'utf8').replace(old, by);
  expect(changed).not.toBe(readFileSync(profile, 'utf8'));
  writeFileSync(join(own, 'lf-qualify.yaml'), changed.replace('./tables.sql', join(folder, 'tables.sql')));
  return join(own, 'lf-qualify.yaml');
}

const leftBy = async (run: string): Promise<readonly string[]> => {
  const drivers = [dockerDriver('unix:///var/run/docker.sock'), podmanDriver('unix:///run/podman/podman.sock')];
  const objects = await Promise.all(drivers.map(async (driver) => await driver.owned()));
  for (const driver of drivers) driver.close();
  return objects.flat().flatMap((object) => (object.run === run ? [`${object.type} ${object.name}`] : []));
};

describe('a service with a database', () => {
  let run: Call;
  let report: Report;
  beforeAll(async () => {
    const only = Object.keys(expected).join();
    run = qualify(profile, '--engine', 'docker,podman', '--only', only, '--jobs', '8');
    await run.process;
    report = run.report();
  });

  it('qualifies on both engines, with the verdicts that its expected.yaml has', async () => {
    expect(report.faults).toEqual([]);
    expect(report.targets.map(({ engine }) => engine).sort()).toEqual(['docker', 'podman']);
    for (const target of report.targets) expect(outcomesOf(target), target.engine).toEqual(expected);
    expect((await run.process).exitCode).toBe(0);
  });

  it.each(['docker', 'podman'])('finds its database as new in every cell on %s', (engine) => {
    const said = databaseSaid(report.directory, engine);
    expect(said.length).toBeGreaterThan(1);
    expect(said).toEqual(said.map(() => asNew));
  });

  it.each(['docker', 'podman'])('is reported with what it was run with on %s, and with its output', (engine) => {
    const target = report.targets.find((one) => one.engine === engine);
    const reported = target?.dependencies?.[0];
    expect(target?.dependencies).toEqual([
      {
        alias: 'db',
        reference: 'lf-qualify/postgres:dev',
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        readyAfterMs: expect.any(Number),
        log: expect.stringMatching(/\/db\.log$/),
      },
    ]);
    expect(readFileSync(join(report.directory, String(reported?.log)), 'utf8')).toContain(
      'database system is ready to accept connections',
    );
    for (const file of ['report.txt', 'junit.xml']) {
      expect(readFileSync(join(report.directory, file), 'utf8')).toContain('db lf-qualify/postgres:dev');
    }
  });

  it('leaves no word of the password in any file, and nothing on the engines', async () => {
    const files = everyFile(report.directory);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((path) => readFileSync(path).includes(password))).toEqual([]);
    expect(await leftBy(report.run)).toEqual([]);
  });
});

describe('a database that does not come up', () => {
  it('is a fault that names it with its last words, and no verdict on the image', async () => {
    const broken = profileWith(/ {4}memory:/, '    command: [--no-such-option]\n    memory:');
    const call = qualify(broken, '--engine', 'podman', '--only', 'SIG-1');
    expect((await call.process).exitCode).toBe(70);
    const { faults, targets, run } = call.report();
    expect(faults).toMatchObject([{ where: 'dependency', engine: 'podman' }]);
    const why = faults[0]?.message ?? '';
    expect(why).toContain('dependency db (lf-qualify/postgres:dev) ended with exit code 1 before it was ready');
    expect(why).toContain('no-such-option');
    const [target] = targets;
    expect(target).toMatchObject({ image, dependencies: [{ alias: 'db', failure: why }] });
    const judged = target?.verdicts.filter(({ outcome }) => outcome !== 'not exercised') ?? [];
    expect(judged.map(({ clause, outcome }) => [clause, outcome])).toEqual([['SIG-1', 'inconclusive']]);
    expect(judged[0]?.seen).toContain('dependency fault: dependency db');
    expect(await leftBy(run)).toEqual([]);
  });
});

describe('a database that is not reset, and dies on Docker in mid-run', () => {
  const why = 'dependency db (lf-qualify/postgres:dev) ended with exit code 137 during the run';
  let run: Call;
  let report: Report;
  const judgedOn = (name: string) =>
    report.targets
      .flatMap(({ engine, verdicts }) => (engine === name ? verdicts : []))
      .filter(({ outcome }) => outcome !== 'not exercised');

  beforeAll(async () => {
    const unreset = profileWith(/\n.*each scenario finds an empty table\n +reset: .*/, '');
    const only = Object.keys(expected).join();
    // more scenarios than run at once: one that begins after the end of another finds its row
    run = qualify(unreset, '--engine', 'docker,podman', '--only', only, '--jobs', '4', '--verbose');
    await run.said(/\d+\/\d+ cells\/docker\/lf-qualify__needs-database/);
    const docker = dockerDriver('unix:///var/run/docker.sock');
    const runs = readdirSync(run.out);
    const database = (await docker.owned()).find((object) => object.name.endsWith('-db') && runs.includes(object.run));
    docker.close();
    await execa('docker', ['--host', 'unix:///var/run/docker.sock', 'kill', database?.id ?? 'no database']);
    await run.process;
    report = run.report();
  });

  it('is a fault that names it, and no failure of the image: what still needed it is inconclusive', async () => {
    expect((await run.process).exitCode).toBe(70);
    const named = { where: 'dependency', engine: 'docker', message: expect.stringContaining(why) };
    expect(report.faults).toMatchObject([named, ...report.faults.slice(1).map(() => named)]);
    const judged = judgedOn('docker');
    expect(judged.map(({ clause }) => clause).sort()).toEqual(Object.keys(expected).sort());
    const hit = judged.filter(({ outcome }) => outcome !== 'pass');
    expect(hit.length).toBeGreaterThan(0);
    const told = hit.map(({ outcome, findings }) => [outcome, findings.some(({ seen }) => seen.includes(why))]);
    expect(told).toEqual(hit.map(() => ['inconclusive', true]));
  });

  it('is as the scenario before left it where it lives on, and its engine is judged', async () => {
    const [target] = report.targets.filter(({ engine }) => engine === 'podman');
    expect(target && outcomesOf(target)).toEqual(expected);
    const said = databaseSaid(report.directory, 'podman');
    expect(said).toContain(asNew);
    expect(said).toContainEqual(expect.stringMatching(/^database found rows=[1-9]/));
    expect(await leftBy(report.run)).toEqual([]);
  });
});
