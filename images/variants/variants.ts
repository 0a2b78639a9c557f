import type { PresetName } from '../../harness/model/clause.ts';
import type { Endpoint } from '../../harness/model/target.ts';

/** One way to be wrong, and the clauses that must say so. */
export interface Variant {
  /** What `FAULT` is set to. */
  readonly fault: string;
  /** What is wrong, in one sentence. */
  readonly why: string;
  /** Clauses that must fail where the fault shows. */
  readonly clauses: readonly string[];
  /** Where it shows: a cell, as `--only` names it, or a scenario. */
  readonly where: string;
  /** Clauses of the smoke set that fail too, by the nature of the fault: all others of it pass. */
  readonly alsoFails: readonly string[];
  /** The preset whose clause must say so, where it is not the image's own: with that one's outer timeout. */
  readonly preset?: PresetName;
  /** Liveness routes that are declared besides what the image's label says. */
  readonly liveness?: readonly Endpoint[];
}

const variant = (
  fault: string,
  clause: string,
  where: string,
  why: string,
  alsoFails: readonly string[] = [],
): Variant => ({ fault, why, clauses: [clause], where, alsoFails });

/** Every fault of the image `variants`, at least one for each clause of the 503 window, the drain, the deadline, start-up and WebSockets. */
export const variants: readonly Variant[] = [
  variant(
    'leaves-zombies',
    'IMG-4',
    'signal/no-load:signal=TERM',
    'an orphan that ends stays a zombie, since PID 1 waits for its own children only',
  ),
  variant(
    'serves-kept-connections',
    'ADM-1',
    'window/acknowledged',
    'requests on connections of before the signal are served on',
  ),
  variant('refuses-without-close', 'ADM-1', 'window/acknowledged', 'the 503 does not say Connection: close'),
  variant('refuses-without-retry-after', 'ADM-1', 'window/acknowledged', 'the 503 does not say Retry-After'),
  variant(
    'serves-new-connections',
    'ADM-2',
    'window/acknowledged',
    'requests on connections made after the signal are served',
  ),
  variant(
    'accepts-and-never-answers',
    'ADM-2',
    'window/acknowledged',
    'connections made after the signal get no answer',
  ),
  variant(
    'closes-gate-after-goodbye',
    'ADM-3',
    'window/silent-controller',
    'the gate closes only when the goodbye is answered or given up',
  ),
  variant('listener-stays-up', 'ADM-4', 'window/draining', 'the listener answers 503 for as long as old work drains'),
  variant(
    'black-hole-listener',
    'ADM-4',
    'window/draining',
    'connections made after the acknowledgement are accepted and never answered',
  ),
  variant('gate-leaks', 'ADM-5', 'window/acknowledged', 'every seventh request passes the closed gate'),
  variant('stays-ready', 'ADM-6', 'window/acknowledged', 'the readiness route says ready after the gate has closed'),
  variant(
    'matches-control-by-prefix',
    'ADM-7',
    'window/acknowledged',
    'what begins like a control route passes the closed gate',
  ),
  variant('ignores-control-inventory', 'ADM-7', 'window/acknowledged', 'declared control routes get 503'),
  variant('dwells-before-drain', 'ADM-8', 'window/acknowledged', 'the drain begins 1200 ms late', ['SIG-1']),
  variant(
    'admits-connections',
    'ADM-9',
    'window/draining',
    'the gate is asked when a connection begins, not when headers are complete',
  ),
  variant('cuts-requests', 'DRN-1', 'drain/many-requests', 'requests in flight are cut at once, with exit 0'),
  variant(
    'answers-503-to-admitted',
    'DRN-1',
    'drain/work-within-grace:at=grace/2',
    'requests in flight are answered 503 when the stop begins',
  ),
  variant('few-requests-survive', 'DRN-2', 'drain/many-requests', 'no more than 16 requests in flight complete'),
  variant('cuts-uploads', 'DRN-3', 'drain/work-within-grace:at=grace/2', 'uploads in flight are cut at once'),
  variant(
    'stream-holds',
    'DRN-4',
    'deadline/work-past-grace:grace=normal',
    'a streaming answer goes on past the hard deadline',
  ),
  variant(
    'idle-connection-holds',
    'DRN-5',
    'startup/idle-life',
    'an idle connection holds the stop until the deadline',
  ),
  variant(
    'silent-socket-holds',
    'DRN-6',
    'drain/stalled:kind=silent',
    'a silent connection holds the process past the hard deadline',
  ),
  variant(
    'half-request-line-holds',
    'DRN-6',
    'drain/stalled:kind=half-request-line',
    'a half-sent request line holds the process past the hard deadline',
  ),
  variant(
    'half-headers-hold',
    'DRN-6',
    'drain/stalled:kind=half-headers',
    'half-sent headers hold the process past the hard deadline',
  ),
  variant(
    'half-body-holds',
    'DRN-6',
    'drain/stalled:kind=half-body',
    'a half-sent body holds the process past the hard deadline',
  ),
  variant(
    'half-handshake-holds',
    'DRN-6',
    'drain/stalled:kind=half-tls-handshake',
    'half a TLS handshake holds the process past the hard deadline',
  ),
  variant(
    'half-closed-holds',
    'DRN-6',
    'drain/stalled:kind=half-closed',
    'a client that said FIN and waits for its answer holds the process past the hard deadline',
  ),
  variant(
    'stopped-reader-holds',
    'DRN-6',
    'drain/stalled:kind=reader-stops',
    'a client that stops reading holds the process past the hard deadline',
  ),
  variant(
    'no-goaway',
    'DRN-7',
    'drain/http2',
    'HTTP/2 sessions are dropped without GOAWAY, streams in flight with them',
  ),
  variant('keeps-alive-in-drain', 'DRN-8', 'window/draining', 'answers in the drain do not say Connection: close'),
  variant('waits-out-grace', 'DRN-9', 'drain/many-requests', 'the process waits out the grace after its last work'),
  variant(
    'pauses-after-work',
    'DRN-9-fast',
    'drain/many-requests',
    'the process pauses for 500 ms after its last work',
  ),
  variant(
    'cuts-early',
    'DLN-1',
    'deadline/work-past-grace:grace=normal',
    'work is cut 300 ms before the graceful deadline',
  ),
  variant(
    'cuts-at-hard-deadline',
    'DLN-1',
    'deadline/work-past-grace:grace=normal',
    'work is cut only at the hard deadline',
  ),
  variant('expired-exits-0', 'DLN-2', 'deadline/work-past-grace:grace=normal', 'an expired stop exits 0'),
  variant(
    'expires-silently',
    'DLN-2',
    'deadline/work-past-grace:grace=normal',
    'stderr never says that the deadline expired',
  ),
  variant(
    'expired-logged-graceful',
    'DLN-3',
    'deadline/work-past-grace:grace=normal',
    'the last line calls an expired stop graceful',
  ),
  variant(
    'grace-0-is-default',
    'DLN-4',
    'deadline/zero-grace-work',
    'a grace of 0 is taken for the default of 2000 ms',
  ),
  variant(
    'clean-up-gets-fresh-grace',
    'DLN-5',
    'deadline/slow-everything',
    'clean-up begins after the deadline with a grace of its own',
  ),
  variant(
    'waits-for-stuck-clean-up',
    'DLN-6',
    'deadline/stuck-clean-up:fault=stuck-clean-up',
    'clean-up that never ends is waited for',
  ),
  variant(
    'waits-for-stuck-thread',
    'DLN-6',
    'deadline/stuck-clean-up:fault=stuck-thread',
    'the process waits for its threads to end, one that is stuck too',
  ),
  variant(
    'cuts-without-a-trace',
    'DLN-7',
    'deadline/work-past-grace:grace=normal',
    'a stream without chunks or length is cut by an orderly end',
  ),
  variant(
    'grace-in-whole-seconds',
    'CFG-3',
    'deadline/work-past-grace:grace=1500',
    'the grace is rounded up to whole seconds',
  ),
  variant(
    'ignores-second-signal',
    'SIG-5',
    'signal/second-different:first=primary,second=INT',
    'a second signal changes nothing: the drain goes on',
  ),
  variant(
    'second-signal-has-default-action',
    'SIG-5',
    'signal/second-same:signal=TERM,apart=100ms',
    'the second signal kills the process by its default action, without clean-up',
  ),
  {
    ...variant(
      'second-signal-sticks',
      'SIG-5',
      'signal/second-same:signal=TERM,apart=100ms',
      'after a second signal the process never ends',
    ),
    preset: 'baseline',
  },
  variant(
    'takes-quick-second-for-echo',
    'SIG-6',
    'signal/second-same:signal=TERM,apart=10ms',
    'a second signal within 80 ms of the first is dropped',
  ),
  variant(
    'second-signal-crashes',
    'SIG-6-close',
    'signal/second-close',
    'the second signal crashes the process, however close to the first one',
  ),
  variant(
    'second-signal-unsaid',
    'SIG-6',
    'signal/second-apart:first=primary,second=INT,apart=500ms',
    'the log never says that a second signal was received',
  ),
  variant(
    'second-signal-restarts-grace',
    'SIG-7',
    'signal/second-late',
    'a second signal starts the grace and the hard deadline anew',
  ),
  variant(
    'takes-one-signal-for-two',
    'SIG-8',
    'drain/many-requests',
    'one signal collapses the drain as a second one should',
    ['SIG-4'],
  ),
  variant('says-one-signal-as-two', 'SIG-8', 'drain/many-requests', 'the log says a second signal where one was sent', [
    'SIG-4',
  ]),
  variant(
    'waits-for-quiet-signals',
    'SIG-9',
    'signal/storm',
    'the process leaves only when no signal has come for 120 ms',
  ),
  {
    ...variant(
      'serves-on',
      'ADM-5',
      'window/no-controller',
      'new work is served for 600 ms after the signal, and nobody said so',
    ),
    preset: 'baseline',
  },
  {
    ...variant(
      'hangs-liveness',
      'ADM-6-live',
      'window/no-controller',
      'the liveness route gets no answer while old work drains',
    ),
    preset: 'baseline',
    liveness: [{ method: 'GET', path: '/live' }],
  },
  variant(
    'signal-waits-for-ready',
    'STA-2',
    'startup/pending-bootstrap:config=holds,signal=TERM',
    'a signal during the start is looked at only once the service is up',
  ),
  variant(
    'download-is-not-cancelled',
    'STA-2',
    'startup/pending-bootstrap:config=holds-half,signal=TERM',
    'the abort of the start waits for the config server',
  ),
  variant(
    'waits-for-registration',
    'STA-2',
    'startup/pending-registration:registry=holds-registration',
    'the abort of the start waits for the answer of the controller',
  ),
  variant('waits-for-stuck-start-up', 'STA-3', 'startup/stuck', 'a resource that cannot be given back is waited for'),
  variant(
    'abort-expires-silently',
    'STA-3',
    'startup/stuck',
    'stderr never says that the abort of the start took too long',
  ),
  variant(
    'expired-abort-exits-0',
    'STA-3',
    'startup/stuck',
    'an abort of the start that took too long ends with 0 all the same',
  ),
  variant(
    'loses-signal-on-edge',
    'STA-4',
    'startup/edge:after=5ms',
    'a signal that comes as the service becomes ready is lost',
  ),
  variant(
    'writes-config-in-place',
    'STA-5',
    'startup/pending-bootstrap:config=holds-half,signal=TERM',
    'what comes from the config server is written into the file of the next start as it comes',
  ),
  variant(
    'registers-after-signal',
    'STA-6',
    'startup/pending-registration:registry=holds-registration',
    'the abort of the start closes the session, and its client registers anew',
  ),
  variant('serves-before-ready', 'STA-7', 'startup/gate', 'application routes are served before the service is ready'),
  variant(
    'second-signal-extends-abort',
    'STA-10',
    'startup/second:second=INT',
    'a second signal gives the abort of the start more time',
  ),
  variant(
    'bad-configuration-exits-0',
    'STA-11',
    'startup/fails',
    'a configuration that cannot be used ends the start with 0',
  ),
  variant(
    'bad-configuration-is-left-out',
    'STA-11',
    'startup/fails',
    'a setting that cannot be used is left out, and the service starts',
  ),
  variant(
    'idle-websocket-holds',
    'WSS-1',
    'websockets/open',
    'the end of the process waits for WebSockets that were open at the signal',
  ),
  variant('closes-with-internal-error', 'WSS-2', 'websockets/open', 'the Close says Internal Error'),
  variant('closes-without-reason', 'WSS-2', 'websockets/open', 'the Close gives no reason'),
  variant('resets-websockets', 'WSS-2', 'websockets/open', 'WebSockets are dropped without a Close'),
  variant(
    'forgets-silent-websockets',
    'WSS-3',
    'websockets/open',
    'WebSockets on which nothing was said are dropped without a Close',
  ),
  variant('drops-queued-frames', 'WSS-4', 'websockets/backlog', 'frames that are queued at the signal are thrown away'),
  variant(
    'waits-for-close-answer',
    'WSS-5',
    'websockets/peer-does-not-go-on:kind=never-closes',
    'the answer to a Close is waited for past the hard deadline',
  ),
  variant(
    'waits-for-stopped-reader',
    'WSS-5',
    'websockets/peer-does-not-go-on:kind=stops-reading',
    'a peer that stopped reading is waited for past the hard deadline',
  ),
  variant(
    'serves-late-upgrades',
    'WSS-6',
    'websockets/upgrade-after-gate',
    'a WebSocket that is upgraded after the gate has closed is served',
  ),
];
