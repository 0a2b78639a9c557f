import type { CommandResult, ContainerSpec, FolderFile } from './driver.ts';

/** Something a fake process writes. */
export interface FakeOutput {
  readonly stream?: 'stdout' | 'stderr';
  readonly text: string;
}

export interface FakeExit {
  readonly code: number;
  /** Virtual time until the end. @default 0 */
  readonly afterMs?: number;
  readonly oomKilled?: boolean;
}

/** What a fake process does about a signal or at its start. Absent parts: nothing. */
export interface FakeReaction {
  readonly output?: readonly FakeOutput[];
  /** Only the first exit that is asked for counts. */
  readonly exit?: FakeExit;
}

/** The script of one fake process; made anew for each container, so it may keep state. */
export interface FakeBehaviour {
  readonly onStart?: FakeReaction;
  /** What it does where the same container is started again. @default `onStart` */
  readonly onStartAgain?: FakeReaction;
  /** Undefined: the signal has no effect, as for a PID 1 without a handler. KILL never gets here. */
  onSignal?(signal: string): FakeReaction | undefined;
  /** A command run in it. Undefined: there is no such program in the image. */
  onCommand?(command: readonly string[]): CommandResult | 'hangs' | undefined;
  /** What is in a folder of it, by now. Undefined: there is none such. */
  folder?(path: string): readonly FolderFile[] | undefined;
  /** What its HEALTHCHECK says. @default 'healthy', where the image has one */
  health?(): 'healthy' | 'unhealthy' | 'starting';
}

/** Chooses the script by what was asked for. */
export type FakeProgram = (spec: ContainerSpec) => FakeBehaviour;

/** The helper image's commands, as far as driver tests use them. */
export const helperProgram: FakeProgram = (spec) => {
  const [command = 'wait', ...args] = spec.command ?? [];
  const [first = 0, second = 0] = args.map(Number);
  const ready = { text: '{"ev":"ready"}\n' };
  if (command === 'exit') return { onStart: { exit: { code: first } } };
  if (command === 'lines') {
    const output = Array.from({ length: first }, (_, index) => ({ text: `line ${index + 1}\n` }));
    return { onStart: { output, exit: { code: 0 } } };
  }
  if (command === 'alloc') {
    const limit = spec.memoryBytes ?? Number.POSITIVE_INFINITY;
    const over = first * 1024 * 1024 > limit;
    return { onStart: { output: [ready], ...(over ? { exit: { code: 137, oomKilled: true } } : {}) } };
  }
  const handled: Readonly<Record<string, number>> = { HUP: 1, INT: 2, QUIT: 3, TERM: 15 };
  if (command !== 'exact') {
    // Only behind an init does a signal without a handler have its default effect.
    const dies = (signal: string): FakeReaction => ({ exit: { code: 128 + (handled[signal] ?? 0) } });
    return { onStart: { output: [ready] }, ...(spec.init ? { onSignal: dies } : {}) };
  }
  return {
    onStart: { output: [ready] },
    onSignal: (signal) => {
      const number = handled[signal];
      if (number === undefined) return undefined;
      const output = [{ text: `${JSON.stringify({ ev: 'signal', signo: number })}\n` }];
      return { output, exit: { code: second, afterMs: first } };
    },
  };
};
