import type { EngineDriver, Ownership } from '../engine/driver.ts';
import type { ListenThere } from '../inject/listen-when-there.ts';
import { listenAt } from '../inject/listen-when-there.ts';
import { EngineError } from '../model/errors.ts';
import { inTime, sidecarRelay } from './sidecar-relay.ts';
import type { Vantage } from './vantage.ts';

const LISTEN_LIMIT_MS = 10_000;

/** What decides where a peer of the service is played. */
export interface PeerSite {
  /** The address of the run's network on this host, where it has one. */
  readonly gateway?: string;
  readonly wantedVantage?: Vantage;
  readonly driver: EngineDriver;
  readonly network: string;
  readonly sidecarImage?: string;
  readonly ownership: Ownership;
  readonly run: string;
  readonly cell: { readonly path: string };
}

/** A place in reach of the run's network. */
export interface PeerPlace {
  readonly listen: ListenThere;
  /** Never throws. */
  close(): Promise<void>;
}

/**
 * On this host's own address on the run's network (engines.md section 12), else in a container of ours on that network,
 * whose connections are handed over here. `peer` is part of its name. `onLost` is told where that ends before it is closed:
 * the service then loses its peer through us. Throws EngineError where there is neither.
 */
export async function peerPlace(site: PeerSite, peer: string, onLost: (reason: string) => void): Promise<PeerPlace> {
  const { gateway, wantedVantage, sidecarImage: image } = site;
  if (gateway !== undefined && wantedVantage !== 'sidecar') {
    return { listen: listenAt(gateway), close: async () => undefined };
  }
  if (image === undefined) {
    throw new EngineError('the run’s network has no address on this host, and there is no helper for a sidecar');
  }
  const { driver, network, ownership } = site;
  const name = `lfq-${site.run}-${site.cell.path.replace(/[^a-zA-Z0-9]+/g, '-')}`.slice(0, 180);
  const sidecar = await driver.startSidecar({
    name: `${name}-${peer}`,
    image,
    command: ['relay'],
    network: { name: network },
    ownership,
  });
  const close = async (): Promise<void> => await sidecar.remove().catch(() => undefined);
  const host = sidecar.address;
  if (host === undefined) {
    await close();
    throw new EngineError('a container on the run’s network has no address');
  }
  try {
    const relay = await sidecarRelay(sidecar, onLost);
    return {
      listen: async (server) => {
        const listening = relay.listen((socket) => server.emit('connection', socket));
        const port = await inTime(listening, LISTEN_LIMIT_MS, 'the helper in the sidecar did not listen');
        return { host, port };
      },
      async close() {
        relay.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
