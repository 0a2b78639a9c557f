import { engineNames } from '../../engine/drivers.ts';
import { discoverEngines } from '../../engine/discover.ts';
import { EXIT } from '../../judge/exit-codes.ts';
import type { EngineFacts } from '../../model/engine.ts';
import { findHelper } from '../../run/helper-image.ts';
import { packageRoot, packageVersion } from '../package-info.ts';

/** `lf-qualify doctor`: what was looked for, what was found, and what cannot be judged here. 70 when no engine answers. */
export async function doctor(): Promise<number> {
  const helper = await findHelper(packageRoot);
  const discovered = await discoverEngines({ env: process.env, wanted: [...engineNames] });
  const lines = [`lf-qualify ${packageVersion()}, node ${process.versions.node}, ${process.platform} ${process.arch}`];
  lines.push(
    helper === undefined
      ? 'helper: none for this platform; exits are watched through the engine, kernel process events are not recorded'
      : `helper: sha256 ${helper.sha256.slice(0, 16)}`,
  );
  for (const { facts } of discovered.found) lines.push('', ...describe(facts));
  lines.push('', 'looked for:');
  for (const { engine, address, origin, failure } of discovered.candidates)
    lines.push(`  ${engine} at ${address} (${origin}): ${failure ?? 'answers'}`);
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const { driver } of discovered.found) driver.close();
  await discovered.stop();
  return discovered.found.length === 0 ? EXIT.fault : EXIT.qualified;
}

function describe(facts: EngineFacts): string[] {
  const direct = facts.local && !facts.rootless;
  const rows: [string, string][] = [
    ['api', facts.apiVersion],
    ['address', facts.address],
    ['runtime', facts.runtime ?? 'unknown'],
    ['rootless', facts.rootless ? 'yes' : 'no'],
    ['cgroup', facts.cgroupVersion ?? 'unknown'],
    ['storage', facts.storage ?? 'unknown'],
    ['os', `${facts.os ?? 'unknown'}, kernel ${facts.kernel ?? 'unknown'}, ${facts.architecture ?? 'unknown'}`],
    ['clock', `${facts.clockOffsetMs} ms ahead of here, within ${facts.clockErrorMs} ms`],
    [
      'vantage',
      direct
        ? 'direct: local and rootful; decided by route for each container'
        : 'none: probes need a local rootful engine in this version',
    ],
    [
      'not judged here',
      direct ? 'nothing' : 'DLN-2 and what else needs a probe of the container; IMG-6 by process samples at most',
    ],
  ];
  return [`${facts.name} ${facts.version}`, ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`)];
}
