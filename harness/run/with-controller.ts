import type { Controller } from '../inject/controller.ts';
import { playController } from '../inject/controller.ts';
import type { JudgementBasis } from '../model/clause.ts';
import { EngineError } from '../model/errors.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { CellSetting } from './cell-setting.ts';
import type { ControllerPlace, ControllerSite } from './controller-place.ts';
import { controllerPlace } from './controller-place.ts';
import { evaluateTime } from './expression.ts';

/**
 * Run something with the controller that a cell's setting asks for, and with the environment that makes the service
 * register with it; without either where none is asked for. Where no controller can be played that is recorded, and
 * nothing is run: the clauses that need it are not exercised.
 */
export async function withController(
  context: { readonly target: Target; readonly basis: JudgementBasis } & ControllerSite,
  setting: CellSetting,
  recorder: Recorder,
  run: (env: Readonly<Record<string, string>>, controller?: Controller) => Promise<void>,
): Promise<void> {
  const { registry } = context.target;
  const { controller: behaviour } = setting;
  if (behaviour === undefined || registry === undefined) return await run({});
  const unreachable = (why: string): void => {
    recorder.record({
      kind: 'capability.missing',
      capability: 'registry',
      reason: `no controller can be played: ${why}`,
      declare: 'an engine on which the helper can run beside the container',
    });
  };
  let place: ControllerPlace | undefined;
  let controller: Controller;
  try {
    place = await controllerPlace(context, (reason) => {
      recorder.record({ kind: 'fault', where: 'engine', message: `the played controller is cut off: ${reason}` });
    });
    controller = await playController({
      listen: place.listen,
      behaviour:
        behaviour.kind === 'silent'
          ? behaviour
          : { kind: behaviour.kind, afterMs: evaluateTime(behaviour.after, context.basis.terms) },
      recorder,
    });
  } catch (error) {
    await place?.close();
    if (error instanceof EngineError && error.lost) throw error;
    return unreachable(error instanceof Error ? error.message : String(error));
  }
  try {
    await run({ ...registry.env, [registry.urlEnv]: controller.url }, controller);
  } finally {
    try {
      await controller.close();
    } finally {
      await place.close();
    }
  }
}
