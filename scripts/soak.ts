// node scripts/soak.ts --runs 10 [--load 4] [--engine docker] IMAGE…   qualifies again and again and counts; not a test.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { parse } from 'yaml';
import type { Report } from '../harness/model/report.ts';
import { countSoak, soakTable } from './soak-count.ts';

const root = join(import.meta.dirname, '..');
const { values, positionals: images } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    load: { type: 'string', default: '0' },
    engine: { type: 'string', default: 'docker,podman' },
    only: { type: 'string' },
  },
  allowPositionals: true,
});
const runs = Number(values.runs);
const load = Number(values.load);
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(load) || load < 0 || images.length === 0) {
  console.error('usage: node scripts/soak.ts --runs n [--load k] [--engine names] [--only ids] IMAGE…');
  process.exit(64);
}

interface Expected {
  readonly clauses: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What expected.yaml of an image of this repository says. */
function expectedOf(image: string, engine: string, clause: string): string | undefined {
  const name = /^lf-qualify\/([^:]+)/.exec(image)?.[1] ?? '';
  const file = join(root, 'images', name, 'expected.yaml');
  if (name === '' || !existsSync(file)) return undefined;
  const { clauses, engines } = parse(readFileSync(file, 'utf8')) as Expected;
  return engines?.[engine]?.[clause] ?? clauses[clause];
}

const burners: ChildProcess[] = Array.from({ length: load }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const cool = (): void => {
  for (const burner of burners) burner.kill('SIGKILL');
};
process.once('exit', cool);
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true; // the run that is under way hears Ctrl-C itself, and cleans up
    cool();
  });
}

const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-soak-'));
console.log(`run directories under ${folder}`);
const reports: Report[] = [];
for (let run = 1; run <= runs && !interrupted; run += 1) {
  const only = values.only === undefined ? [] : ['--only', values.only];
  const args = [...images, '--engine', values.engine, ...only, '--out', folder, '--format', 'json'];
  const launcher = join(root, 'bin', 'lf-qualify.js');
  const maxBuffer = 256 * 1024 * 1024;
  const { stdout, exitCode } = await execa(process.execPath, [launcher, ...args], {
    reject: false,
    stderr: 'ignore',
    maxBuffer,
  });
  if (interrupted) break;
  const report = stdout.startsWith('{') ? (JSON.parse(stdout) as Report) : undefined;
  if (report !== undefined) reports.push(report);
  const { counts, reasons } = report?.summary ?? {};
  const seconds = ((report?.effort.durationMs ?? 0) / 1000).toFixed(0);
  console.log(`run ${run}: exit ${exitCode}, ${seconds} s, ${JSON.stringify(counts)} ${reasons?.join('; ') ?? ''}`);
}
cool();
for (const line of soakTable(countSoak(reports, expectedOf), reports.length)) console.log(line);
