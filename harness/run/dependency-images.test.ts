import { expect, it } from 'vitest';
import { fakeImageFacts } from '../engine/fake.ts';
import { UsageError } from '../model/errors.ts';
import type { Dependency, ReadySpec, Target } from '../model/target.ts';
import { withDependencyImages } from './dependency-images.ts';

const dependency = (ready: ReadySpec): Dependency => ({
  alias: 'db',
  reference: 'db:1',
  image: 'db:1',
  env: {},
  files: [],
  volumes: [],
  ready,
  startTimeoutMs: 1000,
});
const targetWith = (ready: ReadySpec): Target =>
  ({ name: 'app:1', image: 'sha256:1', dependencies: [dependency(ready)] }) as unknown as Target;
const prepare = async (reference: string) => ({
  reference,
  facts: new Map([['docker', fakeImageFacts(reference, { digest: 'sha256:2' })]]),
});

it('a dependency gets the id of its image on the engine', async () => {
  const target = await withDependencyImages(targetWith({ kind: 'tcp', port: 1, origin: 'o' }), 'docker', prepare);
  expect(target).toMatchObject({
    name: 'app:1',
    dependencies: [{ alias: 'db', reference: 'db:1', image: 'sha256:2' }],
  });
});

it('readiness by a HEALTHCHECK that the image does not have is refused, with what to do', async () => {
  const refused = withDependencyImages(targetWith({ kind: 'health', origin: 'o' }), 'docker', prepare);
  await expect(refused).rejects.toBeInstanceOf(UsageError);
  await expect(refused).rejects.toThrow(
    /dependency db: ready: health, but db:1 has no HEALTHCHECK; declare .* --format docker/,
  );
});
