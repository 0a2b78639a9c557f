import type { RunningContainer } from '../engine/driver.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { RunClock } from './clock.ts';
import type { CellContext } from './execute.ts';
import { engineCall } from './recorded-call.ts';
import type { TargetSidecar } from './target-sidecar.ts';
import { openSidecar } from './target-sidecar.ts';
import { chooseVantage } from './vantage.ts';

/** The vantage point of one life of a container. */
export interface CellPlace {
  readonly address: string | undefined;
  readonly sidecar?: TargetSidecar;
  /** The container had ended before anybody could look: that, and not the lack of a place, is what there is to see. */
  readonly ended?: boolean;
}

/**
 * Where the cell is looked at from: the container's own address, the sidecar that was started for it, or neither. Records
 * `container.started`, whichever of its lives this is.
 */
export async function takePlace(
  context: CellContext,
  container: RunningContainer,
  recorder: Recorder,
  { fromMonotonic }: RunClock,
): Promise<CellPlace> {
  const { driver, ownership, sidecarImage: image } = context;
  const choice = await chooseVantage(context.engine, container.address, context.wantedVantage);
  const started = (vantage: string, address?: string): void => {
    const { pid } = container;
    recorder.record({ kind: 'container.started', pid, vantage, ...(address === undefined ? {} : { address }) });
  };
  if (choice.vantage === 'direct') {
    started(`direct: ${choice.why}`, container.address);
    return { address: container.address };
  }
  const none = async (why: string): Promise<CellPlace> => {
    const { running } = await container.inspect();
    started(`none: ${running ? why : 'the container had ended by then'}`);
    return { address: undefined, ended: !running };
  };
  if (choice.vantage === 'none') return await none(choice.why);
  if (image === undefined) return await none(`${choice.why}, and there is no helper for a sidecar`);
  const onLost = (reason: string): void => {
    recorder.record({ kind: 'fault', where: 'engine', message: `the way to the container is lost: ${reason}` });
  };
  const open = async () => await openSidecar({ driver, container, image, ownership, fromMonotonic, onLost });
  const opened = await engineCall(recorder, 'start sidecar', open);
  if ('refused' in opened) return await none(`${choice.why}, and the sidecar did not start: ${opened.refused}`);
  // inside of the target's namespace its own address leads to it, and so does the loopback where it has none
  const address = container.address ?? '127.0.0.1';
  started(`sidecar: ${choice.why}`, address);
  return { address, sidecar: opened };
}
