import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunnerJob, RunnerMessage } from '../run/job.ts';

const program = fileURLToPath(new URL(`./runner.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));
const LAST_WORDS_BYTES = 4000;

/** Told what happens in the runner; `done` is not passed on. */
export type RunnerListener = (message: Exclude<RunnerMessage, { type: 'done' }>) => void;

/**
 * The test runner in a process group of its own, so that Ctrl-C at a terminal reaches only the command line, which owns
 * clean-up and report (architecture rule 7). It loads vitest at once, while engines are still being looked for, and runs
 * any number of jobs, also side by side. One that has died is replaced for the next job.
 */
export class Runner {
  readonly #listen: RunnerListener;
  #process: RunnerProcess;

  constructor(listen: RunnerListener) {
    this.#listen = listen;
    this.#process = new RunnerProcess(listen);
  }

  /** Resolves when the job has ended, however it ended, with what a process that died with it last wrote to stderr. */
  async run(job: RunnerJob): Promise<string> {
    if (this.#process.dead) this.#process = new RunnerProcess(this.#listen);
    return await this.#process.run(job);
  }

  /** End the runner and all of its workers at once: they hold no state, the histories are on disk. */
  kill(): void {
    this.#process.kill();
  }
}

class RunnerProcess {
  readonly #child: ChildProcess;
  readonly #jobs = new Map<number, () => void>();
  #sent = 0;
  #lastWords = '';
  dead = false;

  constructor(listen: RunnerListener) {
    this.#child = fork(program, [], {
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString('utf8')).slice(-LAST_WORDS_BYTES);
    });
    this.#child.on('message', (raw) => {
      const message = raw as RunnerMessage;
      if (message.type === 'done') this.#jobs.get(message.job)?.();
      else listen(message);
    });
    this.#child.once('error', (error) => this.#over(error.message));
    this.#child.once('close', () => this.#over(''));
  }

  async run(job: RunnerJob): Promise<string> {
    if (this.dead) return this.#lastWords.trim();
    const number = this.#sent++;
    await new Promise<void>((resolve) => {
      this.#jobs.set(number, resolve);
      this.#child.send({ number, job }, (error) => error && this.#over(error.message));
    });
    return this.dead ? this.#lastWords.trim() : '';
  }

  kill(): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // the group is gone already
    }
  }

  #over(words: string): void {
    this.dead = true;
    this.#lastWords += words;
    this.kill(); // workers that outlived it
    for (const resolve of this.#jobs.values()) resolve();
  }
}
