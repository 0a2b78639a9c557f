// `npm run demo`: the reference image and a broken one under both engines. The broken one must fail, so lf-qualify ends
// with exit code 1 here; this script exits 0 when the report says exactly what is expected of the two images.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '../harness/model/report.ts';
import { broken, good, surprises } from './demo-verdict.ts';
import { foreground, interrupted } from './foreground.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** The broken image hangs in nearly every cell: a short outer timeout says the same sooner. */
const options = ['--engine', 'docker,podman', '--timeout', '4s'];

/** The report.json that was written last, no earlier than `sinceMs`. */
function newestReport(folder: string, sinceMs: number): string | undefined {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('report.json'))
    .map((file) => ({ file: join(folder, file), writtenMs: statSync(join(folder, file)).mtimeMs }))
    .filter(({ writtenMs }) => writtenMs >= sinceMs)
    .toSorted((a, b) => b.writtenMs - a.writtenMs)[0]?.file;
}

const sinceMs = Date.now();
const exitCode = await foreground(
  process.execPath,
  [join('bin', 'lf-qualify.js'), good, broken, ...options, ...process.argv.slice(2)],
  root,
);
if (interrupted()) {
  process.exitCode = 130;
} else if (exitCode !== 1) {
  console.log(`\nlf-qualify ended with exit code ${exitCode}; 1 was expected, since ${broken} is broken on purpose.`);
  process.exitCode = exitCode || 70;
} else {
  const file = newestReport(join(root, 'reports'), sinceMs);
  const found =
    file === undefined ? ['no report.json was written'] : surprises(JSON.parse(readFileSync(file, 'utf8')) as Report);
  console.log(
    found.length === 0
      ? `\nAs it should be: ${good} qualified and ${broken}, which is broken on purpose, did not.\nThat is why lf-qualify itself ended with exit code 1 here; in CI that code fails the job.\nReport: ${relative(root, dirname(file ?? root))}/`
      : `\nNot as it should be: ${found.join('; ')}.`,
  );
  process.exitCode = Number(found.length > 0);
}
