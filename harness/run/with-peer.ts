import type { ListenThere } from '../inject/listen-when-there.ts';
import type { Capability } from '../model/clause.ts';
import { EngineError } from '../model/errors.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { PeerPlace, PeerSite } from './peer-place.ts';
import { peerPlace } from './peer-place.ts';

/** Something that the harness plays for the service of a cell. */
export interface PlayedPeer {
  close(): Promise<void>;
}

/**
 * Run something with a peer that is played where the run's network reaches it, and end it afterwards. Where it cannot be
 * played that is recorded, and nothing is run: the clauses that need it are not exercised.
 */
export async function withPeer<P extends PlayedPeer>(
  site: PeerSite,
  peer: {
    /** For messages and names of containers. */
    readonly name: 'controller' | 'config server';
    readonly capability: Capability;
    play(listen: ListenThere): Promise<P>;
  },
  recorder: Recorder,
  run: (played: P) => Promise<void>,
): Promise<void> {
  const { name, capability } = peer;
  let place: PeerPlace | undefined;
  let played: P;
  try {
    place = await peerPlace(site, name.replace(' ', '-'), (reason) => {
      recorder.record({ kind: 'fault', where: 'engine', message: `the played ${name} is cut off: ${reason}` });
    });
    played = await peer.play(place.listen);
  } catch (error) {
    await place?.close();
    if (error instanceof EngineError && error.lost) throw error;
    const why = error instanceof Error ? error.message : String(error);
    recorder.record({
      kind: 'capability.missing',
      capability,
      reason: `no ${name} can be played: ${why}`,
      declare: 'an engine on which the helper can run beside the container',
    });
    return;
  }
  try {
    await run(played);
  } finally {
    try {
      await played.close();
    } finally {
      await place.close();
    }
  }
}
