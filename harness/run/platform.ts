import { architectureOf } from '../contract/evidence/emulation.ts';
import type { ImageFacts } from '../model/engine.ts';

/** `os/arch[/variant]` of an image, as far as the engine says it. */
export function platformOf({ os = 'linux', architecture = 'unknown', variant }: ImageFacts): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/**
 * Whether an image is of a platform. Spellings of an architecture count as one, and so does a variant that only one side
 * names: Podman's inspect names none.
 */
export function isOfPlatform(facts: ImageFacts, platform: string): boolean {
  const [os, architecture = '', variant] = platform.split('/');
  const { os: hasOs = 'linux', architecture: has = '', variant: hasVariant } = facts;
  const sameVariant = variant === undefined || hasVariant === undefined || variant === hasVariant;
  return hasOs === os && architectureOf(has) === architectureOf(architecture) && sameVariant;
}
