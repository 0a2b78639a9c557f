import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Header } from '../model/history.ts';
import type { Observation } from '../model/observation.ts';
import { BatchedFile } from './batched-file.ts';
import { headerLine, observationLine } from './history-lines.ts';

export const HISTORY_FILE = 'history.jsonl';

/** The one writer of one cell's directory. Texts come masked: the store does not know the secrets. */
export interface HistoryWriter {
  /** Path of history.jsonl. */
  readonly path: string;
  append(observations: readonly Observation[]): void;
  /** Raw output of the target, byte for byte, to `stdout.log` or `stderr.log` beside the history. */
  appendOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  /** Writes what is pending at once, for a process that is about to go. */
  flush(): void;
  close(): void;
}

/**
 * Creates a cell's directory (absolute path) and begins its history; the header is on disk when this returns. All methods
 * throw StoreError where the disk refuses, and where a history is already there.
 */
export function historyWriter(directory: string, header: Header): HistoryWriter {
  mkdirSync(directory, { recursive: true });
  const history = new BatchedFile(join(directory, HISTORY_FILE));
  history.append(headerLine(header));
  history.flush();
  const outputs = new Map<string, BatchedFile>();
  const all = (): BatchedFile[] => [history, ...outputs.values()];
  return {
    path: history.path,
    append: (observations) => {
      for (const observation of observations) history.append(observationLine(observation));
    },
    appendOutput: (stream, chunk) => {
      const output = outputs.get(stream) ?? new BatchedFile(join(directory, `${stream}.log`));
      outputs.set(stream, output);
      output.append(chunk);
    },
    flush: () => {
      for (const file of all()) file.flush();
    },
    close: () => {
      for (const file of all()) file.close();
    },
  };
}
