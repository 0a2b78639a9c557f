import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What proves that the harness does right by a case: a test file, and how its title (or the name of its row) reads there. */
type Proof = readonly [file: string, title: string];

interface HarnessCase {
  readonly id: string;
  readonly promise: string;
  readonly proofs: readonly Proof[];
}

const driver = 'harness/engine/driver-contract.suite.ts';
const asksExactly: Proof = [driver, 'asks for exactly what the spec says'];
const readsBack: Proof = [driver, 'reads exit %i back as it is'];

/** Mistakes of people who write such tests, and quirks of the engines: how this harness meets each. */
const proven: readonly HarnessCase[] = [
  {
    id: 'TEST-01',
    promise: 'a stop is no kill: the service sees the signal',
    proofs: [
      [driver, 'reads the code of a handler that got TERM'],
      [driver, 'stops with the timeout it is given, then kills'],
    ],
  },
  {
    id: 'TEST-02',
    promise: 'the signal that is sent is the one that the process logs',
    proofs: [
      [driver, 'takes the spellings of a signal'],
      [driver, 'delivers two awaited signals in their order'],
    ],
  },
  {
    id: 'TEST-03',
    promise: 'the timeout of a stop is given and shown',
    proofs: [
      [driver, 'stops with the timeout it is given, then kills'],
      [
        'harness/judge/stops-compared.test.ts',
        'name the signal, the given timeout, and whether only the call is known',
      ],
    ],
  },
  {
    id: 'TEST-04',
    promise: 'an exit status is read after the end, never from a wait without a condition',
    proofs: [
      readsBack,
      ['harness/engine/container-end.test.ts', 'looks again when the wait of the engine returns or breaks'],
    ],
  },
  {
    id: 'TEST-05',
    promise: 'a limit inside the uncertainty is measured again, alone, and a control says how calm the machine was',
    proofs: [
      ['harness/judge/judge.test.ts', 'a pass supersedes an undecided limit'],
      ['harness/judge/judge.test.ts', 'the control container says how far off the measurement was'],
    ],
  },
  {
    id: 'TEST-06',
    promise: 'a message says what was seen and how certain it is, and names the first step that failed',
    proofs: [
      ['images/in-the-wild/table/memory.ts', '137 without any evidence of OOM'],
      ['harness/contract/sig.test.ts', '137 by OOM says so'],
    ],
  },
  {
    id: 'TEST-07',
    promise: 'every check is seen failing',
    proofs: [['images/expected.test.ts', 'shows every clause of light-fabric failing on some image or variant']],
  },
  {
    id: 'TEST-08',
    promise: 'work that was over before it could be lost proves nothing',
    proofs: [
      ['harness/contract/drn-work.test.ts', 'what was given up inside the grace proves nothing'],
      ['harness/contract/drn-work.test.ts', 'what the harness never completed proves nothing'],
    ],
  },
  {
    id: 'TEST-10',
    promise: 'the clock of the engine is compared with ours, and a time that is none is not used',
    proofs: [
      ['harness/engine/engine-facts.test.ts', 'holds the true offset, wherever in the call the engine read its clock'],
      ['harness/engine/engine-time.test.ts', '%s is no time'],
    ],
  },
  {
    id: 'TEST-11',
    promise: 'ready is an answer, more than once, from where the probes look',
    proofs: [
      ['harness/observe/readiness.test.ts', 'wants answers in a row: one that fails in between starts the count again'],
    ],
  },
  { id: 'TEST-13', promise: 'no port of the host is taken', proofs: [asksExactly] },
  {
    id: 'TEST-14',
    promise: 'all that is made carries the run, and is swept in the right order',
    proofs: [
      ['harness/run/sweep.test.ts', 'removes containers before the networks they are on, and images last'],
      ['harness/run/sweep.test.ts', 'goes on past what it cannot remove, and says so'],
    ],
  },
  {
    id: 'TEST-15',
    promise: 'a run that is cancelled or killed leaves nothing',
    proofs: [
      ['harness/cli/faults.engine.test.ts', '%s removes the containers and keeps a partial report'],
      ['harness/cli/hard-kills.engine.test.ts', 'leave nothing behind after the next start or clean'],
    ],
  },
  {
    id: 'TEST-16',
    promise: 'steps follow what was seen, not the clock',
    proofs: [
      [
        'harness/observe/admission-probe.test.ts',
        'are not seen where nothing is turned away: the wait for it ends by its limit',
      ],
      ['harness/engine/virtual-clock.test.ts', 'jumps by itself when asked to, without a real wait'],
    ],
  },
  {
    id: 'DKR-01',
    promise: 'no published port is looked at: the address of the container, or a place inside its network',
    proofs: [asksExactly, ['harness/run/vantage.test.ts', 'is a sidecar where that is asked for']],
  },
  {
    id: 'DKR-02',
    promise: 'no signal decides over a restart, since no container restarts',
    proofs: [asksExactly],
  },
  {
    id: 'DKR-03',
    promise: 'no call to an engine is waited for without a limit',
    proofs: [
      asksExactly,
      ['harness/engine/engine-call.test.ts', 'ends a call that hangs, and says that the engine still answers'],
    ],
  },
  {
    id: 'DKR-04',
    promise: 'the end of the process is measured, not the return of the call',
    proofs: [
      [
        'harness/run/life.test.ts',
        'is recorded once, by the kernel of this host, where that can be seen, sidecar or not',
      ],
      ['harness/contract/evidence/stop-duration.test.ts', 'the host reading decides where there is one'],
    ],
  },
  {
    id: 'DKR-06',
    promise: 'what not even SIGKILL ends is a fault of engine or kernel',
    proofs: [
      ['harness/run/script-kill.test.ts', 'a process that not even SIGKILL ends is a fault of engine or kernel'],
    ],
  },
  {
    id: 'DKR-07',
    promise: 'a daemon that is lost in mid-run is a fault, and no verdict',
    proofs: [
      [
        'harness/cli/lost-daemon.engine.test.ts',
        'ends with 70 and a report, and once it is back clean removes what was left',
      ],
    ],
  },
  {
    id: 'POD-02',
    promise: 'an engine that kills at once is told from a service that does not listen',
    proofs: [
      [driver, 'stops with the timeout it is given, then kills'],
      ['harness/contract/sig.test.ts', '137 without a SIGKILL of ours'],
    ],
  },
  {
    id: 'POD-04',
    promise: 'an engine that misreads 7 or 137 judges nothing',
    proofs: [readsBack, ['harness/judge/judge.test.ts', 'an engine that misreads a SIGKILL judges nothing']],
  },
  {
    id: 'POD-05',
    promise: 'refused and reset are told apart, from inside the network where the host cannot see it',
    proofs: [
      ['harness/wire/connection.test.ts', 'tells a FIN from a reset'],
      ['harness/wire/relay-socket.test.ts', 'is refused where nobody listens, with what node says of it'],
      ['harness/run/vantage.test.ts', "['a rootless engine'"],
    ],
  },
  {
    id: 'POD-07',
    promise: 'an end that comes before the call for it is a fact, not an error',
    proofs: [
      [driver, 'says that a container has ended when it is killed after its end'],
      ['harness/engine/removal.test.ts', 'is asked for again where it ended while Podman was killing it'],
    ],
  },
  {
    id: 'POD-08',
    promise: 'a container in the middle of a stop has no exit status, and is removed with force',
    proofs: [
      ['harness/engine/container-state.test.ts', 'has no exit code while Podman’s own stop is under way'],
      ['harness/observe/after-exit.test.ts', 'is read again until the engine no longer shows the container as running'],
    ],
  },
  { id: 'POD-15', promise: 'no helper of a port is left behind, since no port is published', proofs: [asksExactly] },
];

/** What cannot be brought about here, with the reason. */
const notReproduced: Readonly<Record<string, string>> = {
  'DKR-08': 'nothing here pauses a container, so that no signal is ever queued for one',
  'POD-01': 'kube play is another way to run a container than the API that the harness uses: it stops nothing by it',
  'POD-13': 'it takes an image with systemd in a container that is given cgroups of its own, which a run does not do',
};

describe('cases of tests and engines', () => {
  it('are all there, each proven or said not to be reproduced', () => {
    const numbered = (kind: string, numbers: readonly number[]) =>
      numbers.map((number) => `${kind}-${String(number).padStart(2, '0')}`);
    const known = [
      ...numbered('TEST', [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 15, 16]),
      ...numbered('DKR', [1, 2, 3, 4, 6, 7, 8]),
      ...numbered('POD', [1, 2, 4, 5, 7, 8, 13, 15]),
    ];
    expect([...proven.map(({ id }) => id), ...Object.keys(notReproduced)].sort()).toEqual(known.sort());
  });

  it.each(proven)('$id: $promise', ({ proofs }) => {
    for (const [file, title] of proofs) {
      const text = readFileSync(join(import.meta.dirname, '..', '..', file), 'utf8');
      expect(text.includes(title), `${file} has no test "${title}" any more`).toBe(true);
    }
  });

  it.each(Object.entries(notReproduced))('%s is not reproduced: %s', (_, reason) => {
    expect(reason).toMatch(/^\S.{20,}/);
  });
});
