import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { EngineDriver } from '../engine/driver.ts';
import { fakeEngine } from '../engine/fake.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Observation } from '../model/observation.ts';
import type { Target } from '../model/target.ts';
import { createRecorder } from '../observe/recorder.ts';
import { startHelper } from '../wire/testing/relay-process.suite.ts';
import type { CellSetting } from './cell-setting.ts';
import { withController } from './with-controller.ts';

const target: Target = {
  name: 'shop:1',
  image: 'sha256:1',
  env: {},
  ready: { kind: 'tcp', port: 8080, origin: 'EXPOSE' },
  startTimeoutMs: 1000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  registry: { urlEnv: 'PORTAL', env: { REGISTRY: 'on' } },
  faults: {},
  secrets: [],
};
const setting: CellSetting = { basis: basisOf(), env: {}, init: false, controller: { kind: 'silent' } };

/** What ran, with which environment, and what was recorded. */
const site = {
  driver: fakeEngine({ images: {} }),
  network: 'none',
  ownership: { run: 'x', owner: 'x:1:1' },
  run: 'x',
  cell: { path: 'cells/x' },
};

async function attempt(context: { gateway?: string; target?: Target }, chosen: CellSetting = setting) {
  const seen: Observation[] = [];
  const sink = { append: (observation: Observation) => seen.push(observation), close: () => undefined };
  const recorder = createRecorder(sink, () => 0, []);
  const ran: Readonly<Record<string, string>>[] = [];
  let reachable = false;
  await withController({ target, basis: basisOf(), ...site, ...context }, chosen, recorder, async (env, controller) => {
    ran.push(env);
    reachable = controller !== undefined;
  });
  return { ran, reachable, missing: seen.filter((observation) => observation.kind === 'capability.missing') };
}

describe('a played controller', () => {
  it('listens where the network reaches it, and the container is told its address', async () => {
    const { ran, reachable, missing } = await attempt({ gateway: '127.0.0.1' });
    expect(ran).toEqual([{ REGISTRY: 'on', PORTAL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) }]);
    expect(reachable).toBe(true);
    expect(missing).toEqual([]);
  });

  it('is absent where the scenario asks for none: nothing is set', async () => {
    const { controller: _, ...without } = setting;
    const { ran, reachable } = await attempt({ gateway: '127.0.0.1' }, without);
    expect(ran).toEqual([{}]);
    expect(reachable).toBe(false);
  });

  it('that has no address to listen on leaves its clauses not exercised, with the reason', async () => {
    const { ran, missing } = await attempt({});
    expect(ran).toEqual([]);
    expect(missing).toMatchObject([
      { capability: 'registry', reason: expect.stringMatching(/no address on this host/) },
    ]);
  });

  it('that cannot listen there does so too', async () => {
    const { ran, missing } = await attempt({ gateway: 'no-such-host.invalid' });
    expect(ran).toEqual([]);
    expect(missing).toMatchObject([
      { capability: 'registry', reason: expect.stringMatching(/no controller can be played/) },
    ]);
  });

  it('in a sidecar that is lost is a fault: the service loses its controller through us', async () => {
    const seen: Observation[] = [];
    const faulty = Promise.withResolvers<void>();
    const sink = {
      append: (observation: Observation) => {
        seen.push(observation);
        if (observation.kind === 'fault') faulty.resolve();
      },
      close: () => undefined,
    };
    const helper = await startHelper();
    const driver: EngineDriver = {
      ...site.driver,
      startSidecar: async () => {
        const { stdin: input, stdout: output } = helper;
        return { id: 's', address: '127.0.0.1', input, output, remove: async () => void helper.kill('SIGKILL') };
      },
    };
    const there = { ...site, driver, sidecarImage: 'helper:1', wantedVantage: 'sidecar' } as const;
    const recorder = createRecorder(sink, () => 0, []);
    await withController({ target, basis: basisOf(), ...there }, setting, recorder, async (env) => {
      expect((await fetch(env['PORTAL'] ?? '')).status).toBe(404);
      helper.kill('SIGKILL');
      await faulty.promise;
    });
    const message = expect.stringMatching(/^the played controller is cut off: the sidecar was lost/);
    expect(seen.filter(({ kind }) => kind === 'fault')).toMatchObject([{ where: 'engine', message }]);
  });

  it('is closed when what ran is over', async () => {
    const { ran } = await attempt({ gateway: '127.0.0.1' });
    const { port } = new URL(ran[0]?.['PORTAL'] ?? '');
    const again = createServer().listen(Number(port), '127.0.0.1');
    await once(again, 'listening');
    again.close();
  });
});
