import type { ConfigServer } from '../inject/config-server.ts';
import { playConfigServer } from '../inject/config-server.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { CellSetting } from './cell-setting.ts';
import type { PeerSite } from './peer-place.ts';
import { withPeer } from './with-peer.ts';

/**
 * Run something with the config server that a cell's setting asks for, and with the environment that makes the service
 * start from it; without either where none is asked for. Where none can be played that is recorded, and nothing is run.
 */
export async function withConfigServer(
  context: { readonly target: Target } & PeerSite,
  setting: CellSetting,
  recorder: Recorder,
  run: (env: Readonly<Record<string, string>>, configServer?: ConfigServer) => Promise<void>,
): Promise<void> {
  const { bootstrap } = context.target;
  if (setting.bootstrap === undefined || bootstrap === undefined) return await run({});
  const { kind: behaviour } = setting.bootstrap;
  await withPeer(
    context,
    {
      name: 'config server',
      capability: 'bootstrap',
      play: (listen) => playConfigServer({ listen, behaviour, recorder }),
    },
    recorder,
    (configServer) => run({ ...bootstrap.env, [bootstrap.urlEnv]: configServer.url }, configServer),
  );
}
