import { writeSync } from 'node:fs';

/** Where log lines go; tests collect them. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, string | number>>): void;
  warn(message: string, fields?: Readonly<Record<string, string | number>>): void;
  /** The plain final records, outside the formatted log: `out` on stdout, `err` on stderr. */
  out(line: string): void;
  err(line: string): void;
}

/** A pipe may be full for a moment; a line that was said must arrive before the process ends. */
const writeAll = (fd: number, text: string): void => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EPIPE') return; // nobody reads any more: no reason to fail a stop
      if (code !== 'EAGAIN') throw error;
    }
  }
};

/** `key=value` as tracing's text format prints it: the key in italics, the equals sign dim. */
const field = ([key, value]: readonly [string, string | number]): string =>
  `\x1b[3m${key}\x1b[0m\x1b[2m=\x1b[0m${value}`;

const format = (level: string, message: string, fields: Readonly<Record<string, string | number>> = {}): string => {
  const colour = level === 'WARN' ? '\x1b[33m' : '\x1b[32m';
  const tail = Object.entries(fields).map(field);
  const stamp = `\x1b[2m${new Date().toISOString()}\x1b[0m`;
  return `${[`${stamp} ${colour}${level.padStart(5)}\x1b[0m \x1b[2mlight_runtime\x1b[0m\x1b[2m:\x1b[0m ${message}`, ...tail].join(' ')}\n`;
};

export const consoleLog: Log = {
  info: (message, fields) => writeAll(1, format('INFO', message, fields)),
  warn: (message, fields) => writeAll(1, format('WARN', message, fields)),
  out: (line) => writeAll(1, `${line}\n`),
  err: (line) => writeAll(2, `${line}\n`),
};
