import { chalkStderr as chalk } from 'chalk';
import type { Mask } from '../model/mask.ts';
import { terminalLines, terminalText } from '../report/terminal-text.ts';

const SECOND = 1000;

/** Progress of a run on stderr: line by line, so that a log of a pipeline reads well; on a terminal a counter is kept. */
export interface Progress {
  /** Something worth a line in any case. */
  say(line: string): void;
  begin(cell: string): void;
  end(cell: string): void;
  /** What is said from now on goes through this. */
  hide(mask: Mask): void;
  /** Clear the counter before something else is printed. */
  stop(): void;
}

/** `total` cells are planned; `quiet` is for tests. Colours follow NO_COLOR and the terminal (chalk). */
export function createProgress(options: {
  readonly stream: NodeJS.WriteStream;
  readonly verbose: boolean;
  readonly total: () => number;
}): Progress {
  const { stream, verbose } = options;
  const started = Date.now();
  const running = new Set<string>();
  let done = 0;
  let shown = false;
  let mask: Mask | undefined;
  const clear = (): void => {
    if (shown) stream.write('\r\u001b[2K');
    shown = false;
  };
  const line = (text: string): void => {
    clear();
    stream.write(`${text}\n`);
    counter();
  };
  const counter = (): void => {
    if (!stream.isTTY || options.total() === 0) return;
    const [first] = running;
    stream.write(
      `\r\u001b[2K${chalk.dim(`${done}/${options.total()} · ${Math.round((Date.now() - started) / SECOND)} s${first === undefined ? '' : ` · ${first}`}`).slice(0, (stream.columns ?? 80) + 8)}`,
    );
    shown = true;
  };
  return {
    say: (text) => line(terminalLines(mask?.text(text) ?? text)),
    begin(path) {
      const cell = terminalText(path);
      running.add(cell);
      if (verbose) line(chalk.dim(`start ${cell}`));
      else counter();
    },
    end(path) {
      const cell = terminalText(path);
      running.delete(cell);
      done += 1;
      if (stream.isTTY) counter();
      else line(`${done}/${options.total()} ${cell}`);
    },
    hide(secrets) {
      mask = secrets;
    },
    stop: clear,
  };
}
