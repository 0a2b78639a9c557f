import type { Target } from '../model/target.ts';
import { excludedFromContract } from '../profile/bundled.ts';
import type { Said } from './said.ts';
import { serverFact, serverInWords } from './server-fact.ts';

/**
 * Sentences for the user about one image: what it is known to need and nobody declared, what is declared and does nothing
 * yet, what the signal of its stop (without SIG) means to a server that is known, and why it has no contract.
 */
export function hintsOf(reference: string, said: Said, target: Target, signal: string): readonly string[] {
  const server = serverFact(target.server, signal);
  const met = {
    dependencies: target.dependencies.length > 0,
    files: target.files.length > 0,
    ready: (said.flags.ready ?? said.image.ready) !== undefined || saysReady(said),
  };
  const needs = said.profiles.flatMap(({ about }) => about?.needs ?? []).filter(({ declare }) => !met[declare]);
  const excluded = excludedFromContract(reference);
  return [
    ...needs.map(
      ({ what, how }) => `${said.service ?? reference} needs ${what}, which is not declared; in a profile: ${how}`,
    ),
    ...(server === undefined ? [] : [serverInWords(server)]),
    ...(excluded === undefined || said.flags.preset !== undefined ? [] : [excluded]),
  ];
}

/** Whether a profile says readiness that did not come with the need for it. */
function saysReady({ profiles }: Said): boolean {
  return profiles.some(({ ready, about }) => {
    const ownNeed = about?.needs.some(({ declare }) => declare === 'ready') ?? false;
    return ready !== undefined && !ownNeed;
  });
}
