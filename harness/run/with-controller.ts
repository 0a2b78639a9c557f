import type { Controller } from '../inject/controller.ts';
import { playController } from '../inject/controller.ts';
import type { ControllerConduct } from '../inject/controller-session.ts';
import type { JudgementBasis } from '../model/clause.ts';
import type { ControllerBehaviour } from '../model/scenario.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { CellSetting } from './cell-setting.ts';
import { evaluateTime } from './expression.ts';
import type { PeerSite } from './peer-place.ts';
import { withPeer } from './with-peer.ts';

/**
 * Run something with the controller that a cell's setting asks for, and with the environment that makes the service
 * register with it; without either where none is asked for. Where no controller can be played that is recorded, and
 * nothing is run: the clauses that need it are not exercised.
 */
export async function withController(
  context: { readonly target: Target; readonly basis: JudgementBasis } & PeerSite,
  setting: CellSetting,
  recorder: Recorder,
  run: (env: Readonly<Record<string, string>>, controller?: Controller) => Promise<void>,
): Promise<void> {
  const { registry } = context.target;
  if (setting.controller === undefined || registry === undefined) return await run({});
  const behaviour = conductOf(setting.controller, context.basis);
  await withPeer(
    context,
    {
      name: 'controller',
      capability: 'registry',
      play: (listen) => playController({ listen, behaviour, recorder }),
    },
    recorder,
    (controller) => run({ ...registry.env, [registry.urlEnv]: controller.url }, controller),
  );
}

function conductOf(behaviour: ControllerBehaviour, { terms }: JudgementBasis): ControllerConduct {
  if (behaviour.kind !== 'acknowledges') return behaviour;
  return { kind: behaviour.kind, afterMs: evaluateTime(behaviour.after, terms) };
}
