import type { Controller } from '../inject/controller.ts';
import { playController } from '../inject/controller.ts';
import type { JudgementBasis } from '../model/clause.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { CellSetting } from './cell-setting.ts';
import { evaluateTime } from './expression.ts';

/**
 * Run something with the controller that a cell's setting asks for, and with the environment that makes the service
 * register with it; without either where none is asked for. Where no controller can be played that is recorded, and
 * nothing is run: the clauses that need it are not exercised.
 */
export async function withController(
  context: { readonly target: Target; readonly basis: JudgementBasis; readonly gateway?: string },
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
      declare: 'an engine on this host, whose networks have an address here',
    });
  };
  if (context.gateway === undefined) return unreachable('the run’s network has no address on this host');
  let controller: Controller;
  try {
    controller = await playController({
      address: context.gateway,
      behaviour:
        behaviour.kind === 'silent'
          ? behaviour
          : { kind: behaviour.kind, afterMs: evaluateTime(behaviour.after, context.basis.terms) },
      recorder,
    });
  } catch (error) {
    return unreachable(error instanceof Error ? error.message : String(error));
  }
  try {
    await run({ ...registry.env, [registry.urlEnv]: controller.url }, controller);
  } finally {
    await controller.close();
  }
}
