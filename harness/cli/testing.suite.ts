import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  /** Resolves when stderr has shown so many lines, or the call has ended. */
  lines(count: number): Promise<void>;
  /** Whether the process is gone. */
  ended(): boolean;
  /** The report of the finished run. */
  report(): Report;
  dispose(): void;
}

function start(args: readonly string[], env: Readonly<Record<string, string>>, detached = false) {
  return execa(process.execPath, [launcher, ...args], {
    reject: false,
    all: true,
    env: { NO_COLOR: '1', ...env },
    detached, // in a process group of its own, as a shell starts it
    forceKillAfterDelay: false, // whoever is told to end cleans up first, however long that takes
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** Start `lf-qualify` with these arguments, on request as leader of a process group. `--out` is added. */
export function call(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { detached = false }: { readonly detached?: boolean } = {},
): Call {
  const out = mkdtempSync(join(tmpdir(), 'lf-qualify-call-'));
  const process_ = start([...args, '--out', out], env, detached);
  let over = false;
  void process_.then(() => {
    over = true;
  });
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
    async lines(count) {
      const counted = (): number => heard.split('\n').length - 1;
      while (counted() < count && !over) {
        const more = process_.stderr === null ? process_ : once(process_.stderr, 'data');
        await Promise.race([process_, more]);
      }
    },
    ended: () => over,
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

/** Pids of a process's children; none when it is gone. */
export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** Living processes that were started with this in their environment, by themselves or by a parent. */
export function processesWith(variable: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        if (!readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(variable)) return [];
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(entry), command }];
      } catch {
        return []; // it has gone meanwhile; a zombie has no environment either
      }
    });
}
