import { engineNames } from '../../engine/drivers.ts';
import { discoverEngines } from '../../engine/discover.ts';
import { EXIT } from '../../judge/exit-codes.ts';
import { terminalLine } from '../../report/terminal-text.ts';
import { findHelper } from '../../run/helper-image.ts';
import { describeEngine } from '../doctor-text.ts';
import { packageRoot, packageVersion } from '../package-info.ts';

/** `lf-qualify doctor`: what was looked for, what was found, and what cannot be judged here. 70 when no engine answers. */
export async function doctor(): Promise<number> {
  const helper = await findHelper(packageRoot);
  const discovered = await discoverEngines({ env: process.env, wanted: [...engineNames] });
  const root = process.getuid?.() === 0;
  const lines = [
    `lf-qualify ${packageVersion()}, node ${process.versions.node}, ${process.platform} ${process.arch}, ${root ? 'as root' : 'not as root'}`,
    helper === undefined
      ? 'helper: none for this platform; exits are watched through the engine, kernel process events are not recorded'
      : `helper: sha256 ${helper.sha256.slice(0, 16)}`,
  ];
  // A Linux program: on another system it serves in containers only, as it does with an engine elsewhere.
  const instrument = { helper: helper !== undefined, root: root && process.platform === 'linux' };
  for (const { facts } of discovered.found) lines.push('', ...describeEngine(facts, instrument));
  lines.push('', 'looked for:');
  for (const { engine, address, origin, failure } of discovered.candidates)
    lines.push(`  ${engine} at ${address} (${origin}): ${failure ?? 'answers'}`);
  process.stdout.write(`${lines.map(terminalLine).join('\n')}\n`);
  await discovered.stop();
  return discovered.found.length === 0 ? EXIT.fault : EXIT.qualified;
}
