import type { EngineFacts, ImageFacts } from '../../model/engine.ts';
import type { History } from '../../model/history.ts';

/** What kernels and engines call an architecture, by the name that images use. */
const SPELLINGS: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  'x86-64': 'amd64',
  aarch64: 'arm64',
  armv8l: 'arm64',
  armv7l: 'arm',
  armv6l: 'arm',
  armhf: 'arm',
  armel: 'arm',
  i386: '386',
  i486: '386',
  i586: '386',
  i686: '386',
  loongarch64: 'loong64',
};

/** One name for all spellings: `x86_64` is `amd64`, `aarch64` is `arm64`. */
export function architectureOf(name: string): string {
  const lower = name.toLowerCase();
  return SPELLINGS[lower] ?? lower;
}

/**
 * Which emulation an image runs under on an engine, in words: `linux/arm64 emulated on amd64`. Undefined where it runs as
 * it is, or where one of the two does not say what it is. An amd64 processor runs 386 by itself; not every arm64 one runs
 * arm, so that counts as emulated: nothing false is said of it then.
 */
export function emulationOf(
  engine: Pick<EngineFacts, 'architecture'>,
  image: Pick<ImageFacts, 'architecture' | 'os'>,
): string | undefined {
  if (!engine.architecture || !image.architecture) return undefined;
  const [host, guest] = [architectureOf(engine.architecture), architectureOf(image.architecture)];
  if (host === guest || (host === 'amd64' && guest === '386')) return undefined;
  return `${image.os ?? 'linux'}/${guest} emulated on ${host}`;
}

/** Why nothing about time follows from a history: its image was emulated. Undefined where it ran as it is. */
export function timeProvesNothing({ header }: History): string | undefined {
  const emulation = emulationOf(header.engine, header.image);
  return emulation && `${emulation}, which proves nothing about time`;
}
