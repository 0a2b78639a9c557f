import { describe, expect, it } from 'vitest';
import { fakeEngine, fakeImageFacts } from '../engine/fake.ts';
import type { EngineDriver } from '../engine/driver.ts';
import { EngineError, UsageError } from '../model/errors.ts';
import { prepareImage } from './carry.ts';

const ownership = { run: 'r1', owner: 'boot:1:2' };
const program = () => ({ onSignal: () => undefined }) as never;
const image = (reference: string, digest: string) => ({ facts: fakeImageFacts(reference, { digest }), program });
const first = `sha256:${'a'.repeat(64)}`;
const second = `sha256:${'b'.repeat(64)}`;

/** Two engines by name; the fake driver calls itself `fake`, so the name is put over it. */
function engine(name: 'docker' | 'podman', images: Readonly<Record<string, ReturnType<typeof image>>>): EngineDriver {
  return { ...fakeEngine({ images }), name };
}

async function prepare(drivers: readonly EngineDriver[]) {
  const said: string[] = [];
  const prepared = await prepareImage('shop:1', drivers, ownership, (line) => said.push(line));
  return { digests: [...prepared.facts].map(([name, { digest }]) => [name, digest]), said };
}

describe('one image on all engines of a run', () => {
  it('that both have with the same bytes is used as it is', async () => {
    const both = [
      engine('docker', { 'shop:1': image('shop:1', first) }),
      engine('podman', { 'shop:1': image('shop:1', first) }),
    ];
    expect(await prepare(both)).toEqual({
      digests: [
        ['docker', first],
        ['podman', first],
      ],
      said: [],
    });
  });

  it('that the second lacks is carried over', async () => {
    const { digests, said } = await prepare([
      engine('docker', { 'shop:1': image('shop:1', first) }),
      engine('podman', {}),
    ]);
    expect(digests).toEqual([
      ['docker', first],
      ['podman', first],
    ]);
    expect(said[0]).toBe('shop:1: podman does not have it; carrying aaaaaaaaaaaa over from docker');
  });

  it('that the first lacks comes from the second', async () => {
    const { digests, said } = await prepare([
      engine('docker', {}),
      engine('podman', { 'shop:1': image('shop:1', first) }),
    ]);
    expect(digests).toEqual([
      ['docker', first],
      ['podman', first],
    ]);
    expect(said[0]).toMatch(/docker does not have it; carrying aaaaaaaaaaaa over from podman/);
  });

  it('that the second has with other bytes is carried over, and the user’s tag stays', async () => {
    const podman = engine('podman', { 'shop:1': image('shop:1', second) });
    const { digests, said } = await prepare([engine('docker', { 'shop:1': image('shop:1', first) }), podman]);
    expect(digests).toEqual([
      ['docker', first],
      ['podman', first],
    ]);
    expect(said[0]).toMatch(/podman has other bytes under this name \(bbbbbbbbbbbb\)/);
    expect((await podman.inspectImage('shop:1'))?.digest).toBe(second);
    expect(await podman.owned()).toEqual([expect.objectContaining({ type: 'image', ...ownership })]);
  });

  it('that nobody has and nobody can pull is a usage error with the remedy', async () => {
    const refuses: EngineDriver = {
      ...engine('docker', {}),
      pullImage: async () => {
        throw new EngineError('manifest unknown');
      },
    };
    await expect(prepare([refuses])).rejects.toThrow(UsageError);
    await expect(prepare([refuses])).rejects.toThrow(
      /image "shop:1": no engine has it and it could not be pulled \(manifest unknown\); check the name/,
    );
  });

  it('that nobody has is pulled, with progress; an engine lost meanwhile is no usage error', async () => {
    const docker = engine('docker', {});
    let pulled = false;
    const pulls: EngineDriver = {
      ...docker,
      inspectImage: async (name) => (pulled ? fakeImageFacts(name, { digest: first }) : undefined),
      pullImage: async (_name, onProgress) => {
        onProgress('layer 1 of 1');
        pulled = true;
      },
    };
    const { digests, said } = await prepare([pulls]);
    expect(digests).toEqual([['docker', first]]);
    expect(said).toEqual(['shop:1: on no engine; docker pulls it', 'docker: layer 1 of 1']);
    const lost: EngineDriver = {
      ...docker,
      pullImage: async () => {
        throw new EngineError('gone', { lost: true });
      },
    };
    await expect(prepare([lost])).rejects.toThrow(EngineError);
  });

  it.each([
    ['a name', 'shop:1', /^lf-qualify-run\/r1:aaaaaaaaaaaa_boot\.1\.2$/],
    ['an id, so that it cannot lose its only name', first, new RegExp(`^${first}$`)],
  ])('that is given by %s is saved under what a killed run can be swept by, if that is safe', async (_, given, as) => {
    const saved: string[] = [];
    const source = engine('docker', { [given]: image(given, first) });
    const saveImage: EngineDriver['saveImage'] = async (reference) => {
      saved.push(reference);
      return await source.saveImage(reference);
    };
    await prepareImage(given, [{ ...source, saveImage }, engine('podman', {})], ownership, () => undefined);
    expect(saved).toEqual([expect.stringMatching(as)]);
    expect(await source.owned()).toEqual([]);
    expect((await source.inspectImage(given))?.digest).toBe(first);
  });
});
