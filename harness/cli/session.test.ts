import { describe, expect, it } from 'vitest';
import type { discoverEngines } from '../engine/discover.ts';
import type { EngineDriver } from '../engine/driver.ts';
import type { EngineFacts, EngineName } from '../model/engine.ts';
import { openEngines } from './session.ts';

const facts = (name: EngineName): EngineFacts => ({
  name,
  version: '1',
  apiVersion: '1',
  address: `unix:///${name}`,
  rootless: false,
  local: true,
  clockOffsetMs: 0,
  clockErrorMs: 0,
});

/** A machine on which just these engines answer. */
function machine(...there: readonly EngineName[]) {
  const stopped: string[] = [];
  const discover: typeof discoverEngines = async () => ({
    found: there.map((name) => ({
      driver: { name, close: () => stopped.push(name) } as unknown as EngineDriver,
      facts: facts(name),
    })),
    candidates: (['docker', 'podman'] as const).map((engine) => ({
      engine,
      address: `unix:///${engine}`,
      origin: 'well-known socket',
      ...(there.includes(engine) ? {} : { failure: 'there is no such socket' }),
    })),
    stop: async () => void stopped.push('service'),
  });
  return { discover, stopped };
}

describe('the engines of a run', () => {
  it.each([
    ['both found', [], {}, ['docker', 'podman'], []],
    ['one found: the other is named as not judged', [], {}, ['docker'], ['podman']],
    ['only the one asked for is judged, and the other is no loss', ['podman'], {}, ['docker', 'podman'], []],
  ] as const)('%s', async (_, wanted, env, there, notJudged) => {
    const engines = await openEngines(wanted, env, machine(...there).discover);
    const judged = wanted.length > 0 ? wanted : there;
    expect(engines.open.map((engine) => engine.facts.name)).toEqual(judged);
    expect(engines.notJudged.map(({ engine }) => engine)).toEqual(notJudged);
    for (const { failure } of engines.notJudged) expect(failure).toMatch(/no such socket/);
  });

  it.each([
    ['one that is judged on', [], 'podman', ['docker', 'podman'], ['docker', 'podman']],
    ['one that is not judged on', ['podman'], 'docker', ['docker', 'podman'], ['podman']],
  ] as const)('images may come from %s', async (_, wanted, from, there, judged) => {
    const engines = await openEngines(wanted, {}, machine(...there).discover, from);
    expect(engines.source?.name).toBe(from);
    expect(engines.open.map(({ facts: { name } }) => name)).toEqual(judged);
    expect(engines.notJudged).toEqual([]);
  });

  it('the engine that images are to come from must answer', async () => {
    const { discover, stopped } = machine('podman');
    const opened = openEngines(['podman'], {}, discover, 'docker');
    await expect(opened).rejects.toThrow(/^docker does not answer, and --from asks for it; tried:\n {2}docker at unix/);
    expect(stopped).toEqual(expect.arrayContaining(['service', 'podman']));
  });

  it.each([
    [
      'asked for by option or profile',
      ['podman'],
      {},
      ['docker'],
      /no engine answers|podman does not answer, and --engine or the profile asks for it/,
    ],
    [
      'asked for by CI=true',
      [],
      { CI: 'true' },
      ['docker'],
      /podman does not answer, and CI=true asks for every engine/,
    ],
    [
      'none at all',
      [],
      {},
      [],
      /no engine answers; tried:\n {2}docker at unix:\/\/\/docker \(well-known socket\): there is no such socket\n {2}podman at/,
    ],
  ] as const)(
    'one that is missing though %s is an error that lists every candidate, and nothing stays open',
    async (_, wanted, env, there, message) => {
      const { discover, stopped } = machine(...there);
      await expect(openEngines(wanted, env, discover)).rejects.toThrow(message);
      expect(stopped).toEqual(expect.arrayContaining(['service', ...there]));
    },
  );
});
