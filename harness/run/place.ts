import type { EngineDriver, HeldContainer, Ownership } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import type { Dial } from '../wire/dial.ts';
import { sidecarRelay } from './sidecar-relay.ts';
import type { Vantage } from './vantage.ts';
import { chooseVantage } from './vantage.ts';

/** Where a container of ours is looked at from: its own address, or the loopback of its network namespace by a sidecar. */
export interface Place {
  readonly address: string | undefined;
  readonly dial?: Dial;
  close?(): Promise<void>;
}

/** Takes it. Throws EngineError where a sidecar does not start; gives no address where there is no place to look from. */
export async function placeOf(options: {
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  readonly container: HeldContainer;
  readonly name: string;
  readonly ownership: Ownership;
  readonly vantage?: Vantage;
  readonly helperImage?: string;
}): Promise<Place> {
  const { driver, container, helperImage: image, ownership } = options;
  const choice = await chooseVantage(options.engine, container.address, options.vantage);
  if (choice.vantage === 'direct') return { address: container.address };
  if (choice.vantage === 'none' || image === undefined) return { address: undefined };
  const sidecar = await driver.startSidecar({
    name: `${options.name}-sidecar`,
    image,
    command: ['relay'],
    network: { container: container.id },
    ownership,
  });
  try {
    const relay = await sidecarRelay(sidecar);
    const close = async (): Promise<void> => {
      await relay.close();
      await sidecar.remove();
    };
    return { address: container.address ?? '127.0.0.1', dial: relay.dial, close };
  } catch (error) {
    await sidecar.remove().catch(() => undefined);
    throw error;
  }
}
