import { UsageError } from '../model/errors.ts';
import { SHORTEST_SECRET } from '../model/mask.ts';

/**
 * Declared secrets, each once and without empty ones. Throws UsageError for one that is too short: it would be found in
 * every other text, so masking it would garble the record, and leaving it would not keep it secret.
 */
export function usableSecrets(declared: readonly string[]): readonly string[] {
  const secrets = [...new Set(declared.filter((secret) => secret !== ''))];
  const short = secrets.find((secret) => secret.length < SHORTEST_SECRET);
  if (short === undefined) return secrets;
  const characters = short.length === 1 ? '1 character' : `${short.length} characters`;
  throw new UsageError(
    `secrets: a value of ${characters} cannot be masked without garbling every text it happens to stand in; ` +
      `give it at least ${SHORTEST_SECRET}, or leave it out of secrets`,
  );
}
