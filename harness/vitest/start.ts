import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunnerJob, RunnerMessage } from '../run/job.ts';

const runner = fileURLToPath(new URL(`./runner.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
const LAST_WORDS_BYTES = 4000;

/**
 * A runner process in a group of its own, so that Ctrl-C at a terminal reaches only the command line, which owns clean-up
 * and report (architecture rule 7). It loads vitest at once, while the engines are still being looked for, and takes one
 * job.
 */
export class Runner {
  readonly #child: ChildProcess;
  readonly #over: Promise<void>;
  #lastWords = '';

  constructor() {
    this.#child = fork(runner, [], {
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString('utf8')).slice(-LAST_WORDS_BYTES);
    });
    this.#over = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#lastWords += error.message;
        resolve();
      });
      this.#child.once('close', () => resolve());
    });
  }

  /** Run the job; resolves when the process has ended, however it ended, with what it last wrote to stderr. */
  async run(job: RunnerJob, onMessage: (message: RunnerMessage) => void): Promise<string> {
    this.#child.on('message', (message) => onMessage(message as RunnerMessage));
    if (this.#child.connected) this.#child.send(job);
    await this.#over;
    this.kill(); // workers that outlived it
    return this.#lastWords.trim();
  }

  /** End the runner and all of its workers at once: they hold no state, the histories are on disk. */
  kill(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // the group is gone already
    }
  }
}

/** Runners that were booted ahead of their jobs. Whoever boots them disposes of those that were not needed. */
export class RunnerPool {
  readonly #idle: Runner[];

  constructor(ahead: number) {
    this.#idle = Array.from({ length: ahead }, () => new Runner());
  }

  take(): Runner {
    return this.#idle.shift() ?? new Runner();
  }

  dispose(): void {
    for (const idle of this.#idle.splice(0)) idle.kill();
  }
}
