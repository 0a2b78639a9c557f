import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Report } from '../model/report.ts';

const launcher = join(import.meta.dirname, '..', '..', 'bin', 'lf-qualify.js');

/** A call of the command line in a process of its own, as users make it, with its reports in a folder of its own. */
export interface Call {
  readonly process: ReturnType<typeof start>;
  readonly out: string;
  /** Resolves when stderr has shown a line that matches. */
  said(pattern: RegExp): Promise<void>;
  /** The report of the finished run. */
  report(): Report;
  dispose(): void;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>) {
  return execa(process.execPath, [launcher, ...args], {
    reject: false,
    all: true,
    env: { NO_COLOR: '1', ...env },
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** Start `lf-qualify` with these arguments. `--out` is added. */
export function call(args: readonly string[], env: Readonly<Record<string, string>> = {}): Call {
  const out = mkdtempSync(join(tmpdir(), 'lf-qualify-call-'));
  const process_ = start([...args, '--out', out], env);
  let heard = '';
  const waiting: { pattern: RegExp; resolve: () => void }[] = [];
  process_.stderr?.on('data', (chunk: Buffer) => {
    heard += chunk.toString('utf8');
    for (const { pattern, resolve } of waiting) if (pattern.test(heard)) resolve();
  });
  return {
    process: process_,
    out,
    async said(pattern) {
      if (pattern.test(heard)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ pattern, resolve });
      await Promise.race([
        promise,
        process_.then(() => {
          if (!pattern.test(heard)) throw new Error(`the call ended without saying ${String(pattern)}:\n${heard}`);
        }),
      ]);
    },
    report: () => JSON.parse(readFileSync(join(out, 'latest', 'report.json'), 'utf8')) as Report,
    dispose: () => rmSync(out, { recursive: true, force: true }),
  };
}

/** A command that writes no reports (`judge`, `explain`, `clean`, …), or a run that must end before it would. */
export async function tool(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number | undefined; stdout: string; stderr: string }> {
  const { exitCode, stdout, stderr } = await start(args, env);
  return { exitCode, stdout, stderr };
}
