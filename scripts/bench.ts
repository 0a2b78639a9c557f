// `npm run bench`: medians with ranges, and ratios within one run. Nothing here is a test: machines are noisy.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chalk from 'chalk';
import { $ } from 'zx';
import { benchFullLoad } from './bench/full-load.ts';
import { benchHelp } from './bench/help.ts';
import { benchOverhead } from './bench/overhead.ts';
import { benchSequential } from './bench/sequential.ts';
import { benchQualification } from './bench/qualification.ts';
import { benchStopDuration } from './bench/stop-duration.ts';
import { benchVariants } from './bench/variants.ts';

$.verbose = false;
const benches: Readonly<Record<string, (folder: string) => Promise<string[]>>> = {
  'stop-duration': benchStopDuration,
  help: benchHelp,
  overhead: benchOverhead,
  sequential: benchSequential,
  qualification: benchQualification,
  variants: benchVariants,
  'full-load': benchFullLoad,
};

const asked = process.argv.slice(2);
const unknown = asked.find((name) => benches[name] === undefined);
if (unknown !== undefined) {
  console.error(`bench "${unknown}": expected some of ${Object.keys(benches).join(', ')}, or nothing for all`);
  process.exit(64);
}
const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-bench-'));
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log(chalk.bold(`\n== ${name}`));
    for (const line of await bench(folder)) console.log(line);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
