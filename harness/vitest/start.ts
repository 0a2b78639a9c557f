import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunnerJob, RunnerMessage } from '../run/job.ts';

const runner = fileURLToPath(new URL(`./runner.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
const LAST_WORDS_BYTES = 4000;

/** A runner at work. */
export interface StartedRunner {
  /** Resolves when its process has ended, however it ended, with what it last wrote to stderr. */
  readonly over: Promise<{ readonly lastWords: string }>;
  /** End the runner and all of its workers at once: they hold no state, the histories are on disk. */
  kill(): void;
}

/**
 * Start one job in a process group of its own, so that Ctrl-C at a terminal reaches only the command line, which owns
 * clean-up and report (architecture rule 7). A job that is still a promise is sent when it is there: the runner loads
 * meanwhile.
 */
export function startRunner(
  job: RunnerJob | Promise<RunnerJob>,
  onMessage: (message: RunnerMessage) => void,
): StartedRunner {
  const child = fork(runner, [], {
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // the group is gone already
    }
  };
  let lastWords = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(-LAST_WORDS_BYTES);
  });
  child.on('message', (message) => onMessage(message as RunnerMessage));
  Promise.resolve(job).then(
    (ready) => child.connected && child.send(ready),
    () => kill(), // whoever made the job tells why there is none
  );
  return {
    over: new Promise((resolve) => {
      child.once('error', (error) => resolve({ lastWords: error.message }));
      child.once('close', () => resolve({ lastWords }));
    }),
    kill,
  };
}
