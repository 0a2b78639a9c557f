import { describe, expect, it } from 'vitest';
import { fakeEngine } from '../engine/fake.ts';
import { basisOf } from '../judge/testing/history-builder.ts';
import type { Observation } from '../model/observation.ts';
import type { Target } from '../model/target.ts';
import { createRecorder } from '../observe/recorder.ts';
import type { CellSetting } from './cell-setting.ts';
import { withConfigServer } from './with-config-server.ts';

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
  bootstrap: { urlEnv: 'CONFIG_SERVER', env: { BOOT: 'on' } },
  faults: {},
  secrets: [],
};
const plain: CellSetting = { basis: basisOf(), env: {}, init: false };
const setting: CellSetting = { ...plain, bootstrap: { kind: 'answers' } };
const site = {
  driver: fakeEngine({ images: {} }),
  network: 'none',
  ownership: { run: 'x', owner: 'x:1:1' },
  run: 'x',
  cell: { path: 'cells/x' },
};

/** What ran, with which environment and what answer of the config server, and what was recorded as missing. */
async function attempt(chosen: CellSetting, gateway?: string) {
  const seen: Observation[] = [];
  const sink = { append: (observation: Observation) => void seen.push(observation), close: () => undefined };
  const ran: { readonly env: Readonly<Record<string, string>>; readonly status: number | undefined }[] = [];
  const context = { target, ...site, ...(gateway && { gateway }) };
  await withConfigServer(
    context,
    chosen,
    createRecorder(sink, () => 0, []),
    async (env, server) => {
      const status = server && (await fetch(`${env['CONFIG_SERVER']}/config-server/configs`)).status;
      ran.push({ env, status });
    },
  );
  const [url] = ran.flatMap(({ env }) => env['CONFIG_SERVER'] ?? []);
  return { ran, url, missing: seen.filter(({ kind }) => kind === 'capability.missing') };
}

describe('a played config server', () => {
  it('listens where the network reaches it, the container is told its address, and it is closed afterwards', async () => {
    const { ran, url, missing } = await attempt(setting, '127.0.0.1');
    const told = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(ran).toEqual([{ env: { BOOT: 'on', CONFIG_SERVER: told }, status: 200 }]);
    expect(missing).toEqual([]);
    await expect(fetch(url ?? '')).rejects.toThrow();
  });

  it('is absent where the scenario asks for none: nothing is set', async () => {
    expect((await attempt(plain, '127.0.0.1')).ran).toEqual([{ env: {}, status: undefined }]);
  });

  it('that has no address to listen on leaves its clauses not exercised, with the reason, and nothing runs', async () => {
    const { ran, missing } = await attempt(setting);
    expect(ran).toEqual([]);
    const reason = expect.stringMatching(/^no config server can be played: .*no address on this host/);
    expect(missing).toMatchObject([{ capability: 'bootstrap', reason }]);
  });
});
