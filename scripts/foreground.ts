import { spawn } from 'node:child_process';

let signalled = false;
// Children get the signal too, as members of the same process group, and take down their containers before they end.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    signalled = true;
  });
}

/** Whether somebody asked these scripts to stop: then no further step is begun. */
export const interrupted = (): boolean => signalled;

/** Runs a command on this terminal to its end; null when it was killed or could not be started. */
export async function foreground(program: string, args: readonly string[], cwd: string): Promise<number | null> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', (error) => {
      console.error(error.message);
      resolve(null);
    });
    child.once('exit', (code) => resolve(code));
  });
}
