import type { Log } from '../log.ts';

/** A log that keeps what it is told: `info message key=value`, `out line`. */
export const collectedLog = (): Log & { readonly lines: readonly string[] } => {
  const lines: string[] = [];
  const say =
    (kind: string) =>
    (message: string, fields: Readonly<Record<string, string | number>> = {}): void => {
      lines.push([kind, message, ...Object.entries(fields).map(([key, value]) => `${key}=${value}`)].join(' '));
    };
  return { lines, info: say('info'), warn: say('warn'), out: say('out'), err: say('err') };
};
