import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profile } from '../model/profile.ts';
import { ownerAndName } from './image-name.ts';
import { parseBundledProfile } from './load-profile.ts';

/** What is known of a service by its image name alone. */
export interface BundledProfile {
  readonly service: string;
  readonly profile: Profile;
}

const here = dirname(fileURLToPath(import.meta.url));
const built = import.meta.url.endsWith('.js');

/** `profiles/light-fabric/<service>.yaml`: beside the sources in a clone, beside dist/ in a package. */
export const bundledFolder: string = join(here, built ? '../../..' : '../..', 'profiles', 'light-fabric');

/** Images of the same owner that are not under the contract, with why. */
const excluded: Readonly<Record<string, string>> = {
  'light-agent-worker': 'its life ends with the end of its standard input and not by a signal',
};

/** The bundled profile whose image name matches, `networknt/<service>` in any registry, or undefined. */
export function bundledProfile(reference: string): BundledProfile | undefined {
  const service = serviceOf(reference);
  if (service === undefined) return undefined;
  const path = join(bundledFolder, `${service}.yaml`);
  if (!existsSync(path)) return undefined;
  return { service, profile: parseBundledProfile(readFileSync(path, 'utf8'), path, service) };
}

/** Why a light-fabric image has no bundled profile although it could be expected to have one. */
export function excludedFromContract(reference: string): string | undefined {
  const service = serviceOf(reference);
  return service !== undefined && Object.hasOwn(excluded, service)
    ? `${service} is not under the light-fabric contract: ${excluded[service]}`
    : undefined;
}

function serviceOf(reference: string): string | undefined {
  const [owner, service = '', ...more] = ownerAndName(reference).split('/');
  return owner === 'networknt' && more.length === 0 && /^[a-z0-9-]+$/.test(service) ? service : undefined;
}
