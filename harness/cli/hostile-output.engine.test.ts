import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { formats } from '../report/index.ts';
import type { Call } from './testing.suite.ts';
import { call, tool } from './testing.suite.ts';

const image = 'lf-qualify/hostile-output:dev';
const engines = ['docker', 'podman'];
const folder = mkdtempSync(join(tmpdir(), 'lf-qualify-hostile-'));
const temporary = join(folder, 'tmp');
mkdirSync(temporary);

/** Texts that stand nowhere else: where one is found, it leaked. */
const canary = (name: string): string => `canary-${name}-${randomBytes(6).toString('hex')}`;
const declared = {
  plain: canary('plain'),
  odd: `${canary('odd')} "<&>" é/+=?`,
  lines: `-----BEGIN-----\n${canary('line-one')}\n${canary('line-two')}\n-----END-----`,
  flag: canary('flag'),
  argument: canary('argument'),
  user: canary('user'),
};
/** Not declared as secrets, and not printed by the image: values of an environment are never written. */
const values = { env: canary('env'), registry: canary('registry'), fault: canary('fault') };

function write(name: string, profile: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ version: 1, preset: 'light-fabric', grace: '2s', ...profile })); // YAML too
  return path;
}

const profile = write('lf-qualify.yaml', {
  env: { CANARY_PLAIN: declared.plain, CANARY_ODD: declared.odd, CANARY_LINES: declared.lines, OTHER: values.env },
  secrets: ['CANARY_PLAIN', 'CANARY_ODD', 'CANARY_LINES', 'CANARY_FLAG', declared.argument],
  command: ['--token', declared.argument],
  registry: { urlEnv: 'CONTROLLER_URL', env: { REGISTRY_TOKEN: values.registry } },
  faults: { stuckThread: { STUCK: values.fault } },
  endpoints: { slow: [`GET /slow?token=${encodeURIComponent(declared.plain)}&ms={ms}`] },
});
const refused = write('refused.yaml', { user: declared.user, secrets: [declared.user] });

interface Written {
  readonly name: string;
  readonly text: string;
}

const runs: Call[] = [];
let main: Call;
let printed: Written[];
let files: Written[];

beforeAll(async () => {
  const asked = ['--engine', engines.join(','), '--verbose'];
  const only = ['SIG-1', 'SIG-4', 'OBS-3', 'IMG-2', 'DRN-1', 'signal/no-load', 'drain/work-within-grace'].join(',');
  const env = { TMPDIR: temporary };
  main = call([image, ...asked, '--only', only, '--profile', profile, '--env', `CANARY_FLAG=${declared.flag}`], env);
  runs.push(main);
  await main.process;
  runs.push(call([image, ...asked, '--only', 'SIG-1', '--profile', refused], env));
  await runs[1]?.process;
  printed = [];
  for (const [index, run] of runs.entries()) {
    const { stdout, stderr } = await run.process;
    printed.push({ name: `stdout of run ${index}`, text: stdout }, { name: `stderr of run ${index}`, text: stderr });
    for (const format of Object.keys(formats)) {
      const judged = await tool(['judge', join(run.out, 'latest'), '--format', format]);
      printed.push({ name: `judge --format ${format} of run ${index}`, text: `${judged.stdout}\n${judged.stderr}` });
    }
  }
  files = [...runs.map(({ out }) => out), temporary].flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((name) => ({ name, text: readFileSync(name, 'utf8') })),
  );
});

afterAll(() => {
  for (const run of runs) run.dispose();
  rmSync(folder, { recursive: true });
});

describe('an image that prints hostile text wherever it can', () => {
  it.each(engines)('is judged on %s as what it is: it stops well, and drops its work', (engine) => {
    const verdicts = main.report().targets.find((target) => target.engine === engine)?.verdicts ?? [];
    const outcome = (id: string) => verdicts.find(({ clause }) => clause === id)?.outcome;
    expect([outcome('SIG-1'), outcome('SIG-4'), outcome('IMG-2')]).toEqual(['pass', 'pass', 'pass']);
    expect(main.report().faults).toEqual([]);
  });

  it('gets no control, hidden or turning character raw into anything that is printed or written', () => {
    expect(printed.length + files.length).toBeGreaterThan(20);
    for (const { name, text } of [...printed, ...files]) {
      expect([name, /[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/u.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  it('gets no command of a CI service into anything that is printed or written', () => {
    for (const { name, text } of [...printed, ...files]) {
      expect([name, /##|^\s*::.*$/m.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  it('gets no line of its own into what is printed: none begins with its words', () => {
    for (const { name, text } of printed.filter(
      ({ name: from }) => from.startsWith('std') || from.includes('console'),
    )) {
      expect([name, /^(?:QUALIFIED|.*forged$)/m.exec(text)?.[0]]).toEqual([name, undefined]);
    }
  });

  it('breaks no report: each parses, and the XML holds the cases that the verdicts make', async () => {
    const schema = readFileSync(new URL('../report/testing/jenkins-junit-10.xsd', import.meta.url), 'utf8');
    for (const { name, text } of files.filter((file) => file.name.endsWith('.xml'))) {
      const { errors } = await validateXML({ xml: [{ fileName: 'junit.xml', contents: text }], schema: [schema] });
      expect([name, errors]).toEqual([name, []]);
      expect([name, /<failure message="forged".*/.exec(text)?.[0]]).toEqual([name, undefined]);
    }
    for (const { name, text } of files.filter((file) => file.name.endsWith('.json'))) {
      expect(() => JSON.parse(text), name).not.toThrow();
    }
  });
});

describe('a declared secret', () => {
  /** What of a secret must not be found: its parts that are long enough to be one, in each form. */
  const forms = [...Object.values(declared), ...Object.values(values)].flatMap((secret) =>
    (secret.match(/canary-[a-z-]*-[0-9a-f]{12}/g) ?? []).flatMap((part) => [
      part.slice(0, -4),
      part.slice(-12),
      Buffer.from(part).toString('base64').slice(4, -4),
      Buffer.from(`:${part}`).toString('base64').slice(4, -4),
      Buffer.from(`::${part}`).toString('base64').slice(4, -4),
    ]),
  );

  it('is printed by the image, so that there is something to hide', () => {
    const histories = files.filter(({ name, text }) => name.endsWith('history.jsonl') && text.includes('"log"'));
    expect(histories.length).toBeGreaterThan(2 * engines.length);
    for (const { text } of histories.filter(({ name }) => !name.includes('instrument'))) expect(text).toContain('***');
  });

  it('stands in no file of a run, in nothing that is printed, and in no temporary file: in no form', () => {
    for (const { name, text } of [...printed, ...files]) {
      expect([name, forms.find((form) => text.includes(form))]).toEqual([name, undefined]);
    }
  });

  it('is not in the words of an engine that refuses to start the container for it', () => {
    const refusals = files.filter(({ text }) => /could not start the container/.test(text));
    expect(refusals.length).toBeGreaterThanOrEqual(engines.length);
    expect(refusals.every(({ text }) => text.includes('***'))).toBe(true);
  });
});
