import type { EngineName } from '../../../harness/model/engine.ts';
import type { Profile } from '../../../harness/model/profile.ts';

/** What a clause says about a case on an engine. */
export type Expected = Readonly<Record<string, 'pass' | 'fail' | 'not exercised' | 'inconclusive'>>;

/** One way in which an image stops, badly or well, as something in the wild does it. */
export interface Case {
  /** The kind of failure and its number in the collection of cases: `SH-05`. */
  readonly id: string;
  /** Of several that play one case. */
  readonly variant?: string;
  /** What is played, in a few words. */
  readonly title: string;
  /** All that the container runs: the image has no entrypoint. */
  readonly command: readonly string[];
  /** What its user would declare. Absent: ready by a line `ready`, and a last line `stopped`. */
  readonly given?: Partial<Profile>;
  /** @default the bare stop signal with nothing in flight */
  readonly cells?: readonly string[];
  readonly expected: Expected;
  /** Where an engine differs. */
  readonly engines?: Readonly<Partial<Record<EngineName, Expected>>>;
  /** What the clause must have seen: the cause, not only the outcome. */
  readonly said?: Readonly<Record<string, RegExp>>;
  /** Whether it is a good one, which the faults of its kind leave right. */
  readonly good?: true;
  /** Why these are the right verdicts. */
  readonly why: string;
}

/** A command line in a shell. */
export const sh = (script: string): readonly string[] => ['/bin/sh', '-c', script];
export const bash = (script: string): readonly string[] => ['/bin/bash', '-c', script];
export const node = (script: string): readonly string[] => ['/usr/bin/node', '-e', script];

/** What a shell script says to start something beside it, and to go on when that has its handlers. */
export const beside = (command: string): string =>
  `${command} says=up state=/tmp/up & until test -e /tmp/up; do sleep 0.05; done; `;

/** 143: declared as a good end, as the users of Java and of inits do. */
export const accepts143: Partial<Profile> = {
  acceptedStatuses: [
    { status: 0, reason: 'a stop exits 0' },
    { status: 143, reason: 'ended by the signal that was sent' },
  ],
};
