import { UsageError } from '../model/errors.ts';
import type { Dependency, Target } from '../model/target.ts';
import type { PreparedImage } from './carry.ts';

/**
 * A target with the images of its dependencies as one engine has them. `prepare` finds, pulls and carries them like any
 * other. Throws UsageError for a dependency whose readiness is a HEALTHCHECK that its image does not have.
 */
export async function withDependencyImages(
  target: Target,
  engine: string,
  prepare: (reference: string) => Promise<PreparedImage>,
): Promise<Target> {
  const dependencies: Dependency[] = [];
  for (const dependency of target.dependencies) {
    const { alias, reference, ready } = dependency;
    const facts = (await prepare(reference)).facts.get(engine);
    if (facts === undefined) throw new UsageError(`dependency ${alias}: ${engine} does not have ${reference}`);
    if (ready.kind === 'health' && !facts.hasHealthcheck) {
      const remedy = 'declare ready by http, tcp or log, or give the image one (podman build needs --format docker)';
      throw new UsageError(`dependency ${alias}: ready: health, but ${reference} has no HEALTHCHECK; ${remedy}`);
    }
    dependencies.push({ ...dependency, image: facts.digest });
  }
  return { ...target, dependencies };
}
