import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { buildHelper, helperPath } from '../../../scripts/build-helper.ts';
import type { Relay } from '../relay.ts';
import { openRelay } from '../relay.ts';

/** The helper that carries a relay, as a plain child process. */
export type RelayProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export async function startHelper(): Promise<RelayProcess> {
  await buildHelper({ all: false, say: () => undefined });
  return spawn(helperPath(process.arch), ['relay'], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** A relay over it. `close` of the relay ends the process. */
export async function startRelay(): Promise<{ readonly child: RelayProcess; readonly relay: Relay }> {
  const child = await startHelper();
  return { child, relay: await openRelay({ input: child.stdin, output: child.stdout }) };
}
