// Everything that `npm test` runs, after scripts/with-setup.sh has set up. A step that fails does not stop the next.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { foreground, interrupted } from './foreground.ts';
import type { Totals } from './totals.ts';
import { sum, totalsOfExit, totalsOfVitest } from './totals.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache', 'test');

async function step(title: string, program: string, ...args: readonly string[]): Promise<number | null> {
  console.log(`\n== ${title}: ${program} ${args.join(' ')}`);
  return await foreground(join(root, 'node_modules', '.bin', program), args, root);
}

async function vitest(project: string): Promise<Totals> {
  const file = join(folder, `${project}.json`);
  rmSync(file, { force: true });
  const options = ['--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const exitCode = await step(`${project} tests`, 'vitest', 'run', ...options, ...process.argv.slice(2));
  let report: string | undefined;
  try {
    report = readFileSync(file, 'utf8');
  } catch {
    report = undefined;
  }
  return totalsOfVitest(report, exitCode);
}

mkdirSync(folder, { recursive: true });
const steps: readonly (() => Promise<Totals>)[] = [
  async () => totalsOfExit(await step('format and lint', 'biome', 'ci', '.')),
  async () => totalsOfExit(await step('types', 'tsc', '-p', '.')),
  async () => totalsOfExit(await step('unused files, exports and dependencies', 'knip')),
  () => vitest('unit'),
  () => vitest('engine'),
];
const totals: Totals[] = [];
for (const run of steps) {
  if (!interrupted()) totals.push(await run());
}
const { passed, failed } = sum(totals);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = interrupted() ? 130 : Number(failed > 0);
