/** One way to be wrong, the clause that must say so, and the cell where it shows, as `--only` names it. */
export interface Variant {
  /** What `FAULT` is set to. */
  readonly fault: string;
  readonly clause: string;
  readonly where: string;
  /** What is wrong, in one sentence. */
  readonly why: string;
}

const variant = (fault: string, clause: string, where: string, why: string): Variant => ({ fault, clause, where, why });

/** Every fault of the image `control-plane-variants`. */
export const variants: readonly Variant[] = [
  variant(
    'idle-peer-holds',
    'WSS-1',
    'websockets/open',
    'the process is held for ever where there was a WebSocket at the signal',
  ),
  variant('resets-peers', 'WSS-2', 'websockets/open', 'WebSockets are dropped at the signal, without a Close'),
  variant('closes-with-1001', 'WSS-2', 'websockets/open', 'the Close says Going Away, not Service Restart'),
  variant('closes-without-reason', 'WSS-2', 'websockets/open', 'the Close has the code alone'),
  variant('forgets-unregistered', 'WSS-3', 'websockets/open', 'the Close is for registered WebSockets only'),
  variant('loses-queue', 'WSS-4', 'websockets/backlog', 'frames that are queued at the signal are thrown away'),
  variant(
    'waits-for-close',
    'WSS-5',
    'websockets/peer-does-not-go-on:kind=never-closes',
    'a peer that answers no Close is waited for past the drain',
  ),
  variant(
    'serves-late-upgrades',
    'WSS-6',
    'websockets/upgrade-after-gate',
    'a WebSocket that is upgraded after the latch is served',
  ),
  variant(
    'signal-eats-close',
    'WSS-7',
    'websockets/closing',
    'a WebSocket that is being closed at the signal is dropped without its Close',
  ),
  variant('deaf-to-hup', 'SIG-3', 'signal/no-load:signal=HUP', 'SIGHUP is left to its default action'),
  variant(
    'ignores-second-signal',
    'SIG-5',
    'signal/second-same:signal=TERM,apart=100ms',
    'a second signal changes nothing: the drain goes on',
  ),
  variant(
    'second-signal-exits-1',
    'SIG-5',
    'signal/second-different:first=primary,second=HUP',
    'a second signal leaves with 1, which says no signal',
  ),
  variant(
    'second-signal-exits-143',
    'SIG-5',
    'signal/second-different:first=primary,second=INT',
    'a second signal leaves with the status of SIGTERM, whichever it was',
  ),
  variant(
    'second-signal-restarts-drain',
    'SIG-7',
    'signal/second-late',
    'a second signal gives the drain its whole budget again',
  ),
  variant(
    'takes-one-signal-for-two',
    'SIG-8',
    'drain/many-requests',
    'each signal has two listeners, and one of them takes it for the second',
  ),
  variant(
    'expired-exits-1',
    'DLN-2',
    'deadline/work-past-grace:grace=normal',
    'a drain that ran out is taken for a failure',
  ),
  variant('accepts-zero-drain', 'DLN-4', 'deadline/zero-grace-idle', 'a drain of 0 is taken, and nobody is told'),
];
