import type { WebSocket } from 'ws';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { Peer } from '../control-plane/peer.ts';
import type { Faults } from './fault.ts';
import { inPeer, service } from './fault.ts';

class DropsAtOnce extends Peer {
  override leave(): void {
    this.drop();
  }
}

class GoesAway extends Peer {
  override leave(): void {
    this.close(1001, 'control plane shutting down');
  }
}

class GivesNoReason extends Peer {
  override leave(): void {
    this.close(1012, '');
  }
}

class ForgetsUnregistered extends Peer {
  override leave(): void {
    if (this.registered) super.leave();
    else this.drop();
  }
}

class LosesQueue extends Peer {
  override leave(): void {
    this.queue.length = 0;
    super.leave();
  }
}

/** The latch of the process is raced against the Close that the peer was to get already. */
class LosesOwnClose extends Peer {
  override leave(): void {
    if (this.isClosing) this.drop();
    else super.leave();
  }
}

class NeverDropped extends Peer {
  override drop(): void {
    // it is waited for until it leaves by itself
  }
}

class NeverLeft extends Peer {
  override leave(): void {
    // only the end of the drain, or of the peer, ends it
  }
}

/** Counts what is open, for an exit that waits for it. */
class Counting extends ControlPlane {
  /** There was a peer when the stop began. */
  hadPeers = false;

  override leave(): void {
    this.hadPeers = this.peers.size > 0;
    super.leave();
  }

  get open(): number {
    return this.peers.size;
  }
}

/** An exit that never comes while something holds it. */
const exitHeld =
  (isHeld: () => boolean) =>
  (status: number): void => {
    setInterval(() => {
      if (!isHeld()) process.exit(status);
    }, 10);
  };

class ServesOn extends ControlPlane {
  protected override joined(_peer: Peer): void {
    // the latch is for those only who were there
  }
}

/** What becomes of WebSockets: WSS. */
export const peerFaults: Faults = {
  'idle-peer-holds': () => {
    const plane = new Counting((socket: WebSocket) => new NeverLeft(socket));
    return service({ plane, exit: exitHeld(() => plane.hadPeers) });
  },
  'resets-peers': inPeer(DropsAtOnce),
  'closes-with-1001': inPeer(GoesAway),
  'closes-without-reason': inPeer(GivesNoReason),
  'forgets-unregistered': inPeer(ForgetsUnregistered),
  'loses-queue': inPeer(LosesQueue),
  'waits-for-close': () => {
    const plane = new Counting((socket: WebSocket) => new NeverDropped(socket));
    return service({ plane, exit: exitHeld(() => plane.open > 0) });
  },
  'serves-late-upgrades': () => service({ plane: new ServesOn() }),
  'signal-eats-close': inPeer(LosesOwnClose),
};
