import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerDriver } from '../engine/docker.ts';
import { podmanDriver } from '../engine/podman.ts';
import type { Report } from '../model/report.ts';
import type { Call } from './testing.suite.ts';
import { call } from './testing.suite.ts';

/* A service that needs a real PostgreSQL; `npm run images` builds both. */

const image = 'lf-qualify/needs-database:dev';
const folder = join(import.meta.dirname, '..', '..', 'images', 'needs-database');
const profile = join(folder, 'lf-qualify.yaml');
const password = 'open-sesame-4711';
/** Several cells an engine, none of which measures a limit. */
const only = ['--only', 'IMG-1,SIG-1,SIG-2'];

const everyFile = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const databaseSaid = (directory: string, engine: string): readonly string[] =>
  everyFile(join(directory, 'cells', engine))
    .filter((path) => path.endsWith('history.jsonl') && path.includes('needs-database'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/database found rows=\d+/) ?? ['nothing']);

const leftBy = async (run: string): Promise<readonly string[]> => {
  const drivers = [dockerDriver('unix:///var/run/docker.sock'), podmanDriver('unix:///run/podman/podman.sock')];
  const objects = await Promise.all(drivers.map(async (driver) => await driver.owned()));
  for (const driver of drivers) driver.close();
  return objects.flat().flatMap((object) => (object.run === run ? [`${object.type} ${object.name}`] : []));
};

describe('a service with a database', () => {
  let made: Call;
  let report: Report;
  beforeAll(async () => {
    made = call(['--profile', profile, '--engine', 'docker,podman', ...only], { DATABASE_PASSWORD: password });
    await made.process;
    report = made.report();
  });
  afterAll(() => made.dispose());

  it('qualifies on both engines', async () => {
    expect(report.faults).toEqual([]);
    expect(report.targets.map(({ engine }) => engine).sort()).toEqual(['docker', 'podman']);
    const verdicts = report.targets.flatMap(({ verdicts }) => verdicts);
    const judged = verdicts.filter(({ outcome }) => outcome !== 'not exercised');
    expect(judged.map(({ outcome }) => outcome)).toEqual(judged.map(() => 'pass'));
    expect(judged.length).toBe(6);
    expect((await made.process).exitCode).toBe(0);
  });

  it.each(['docker', 'podman'])('finds its database as new in every cell on %s', (engine) => {
    const said = databaseSaid(report.directory, engine);
    expect(said.length).toBeGreaterThan(1);
    expect(said).toEqual(said.map(() => 'database found rows=0'));
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
  let made: Call;
  let own: string;
  beforeAll(async () => {
    own = mkdtempSync(join(tmpdir(), 'lf-qualify-dependency-'));
    const broken = readFileSync(profile, 'utf8')
      .replace('./tables.sql', join(folder, 'tables.sql'))
      .replace('    memory:', '    command: [--no-such-option]\n    memory:');
    writeFileSync(join(own, 'lf-qualify.yaml'), broken);
    const args = ['--profile', join(own, 'lf-qualify.yaml'), '--engine', 'podman', '--only', 'SIG-1'];
    made = call(args, { DATABASE_PASSWORD: password });
    await made.process;
  });
  afterAll(() => {
    made.dispose();
    rmSync(own, { recursive: true, force: true });
  });

  it('is a fault that names it with its last words, and no verdict on the image', async () => {
    const { faults, targets, run } = made.report();
    expect((await made.process).exitCode).toBe(70);
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
