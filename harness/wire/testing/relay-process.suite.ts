import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { buildHelper, helperPath } from '../../../scripts/build-helper.ts';
import type { Relay } from '../relay.ts';
import { openRelay } from '../relay.ts';

/** The helper that carries a relay, as a plain child process. */
export type RelayProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** What a test may want of it: a target to watch, a limit on its descriptors. */
export interface RelayOptions {
  readonly pid?: number | undefined;
  readonly mostFiles?: number;
  readonly onLost?: (reason: string) => void;
}

let built: Promise<void> | undefined;

export async function startHelper({ pid, mostFiles }: RelayOptions = {}): Promise<RelayProcess> {
  built ??= buildHelper({ all: false, say: () => undefined });
  await built;
  const command = [helperPath(process.arch), 'relay', ...(pid === undefined ? [] : [String(pid)])];
  const limited = mostFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${mostFiles}; exec "$@"`, 'sh'];
  const [program = '', ...args] = [...limited, ...command];
  return spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** A relay over it. `close` of the relay ends the process. */
export async function startRelay(
  options: RelayOptions = {},
): Promise<{ readonly child: RelayProcess; readonly relay: Relay }> {
  const child = await startHelper(options);
  return { child, relay: await openRelay({ input: child.stdin, output: child.stdout }, options.onLost) };
}
