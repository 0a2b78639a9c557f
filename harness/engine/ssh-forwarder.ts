import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineError } from '../model/errors.ts';
import type { EngineAddress } from './engine-address.ts';
import type { Forwarder } from './engine-reach.ts';

const START_LIMIT_MS = 30_000;
const POLL_MS = 20;

/**
 * Runs ssh for as long as standard input is open: the kernel closes it when this process ends, however it ends. Arguments:
 * the folder of the socket, then ssh's own.
 */
const TIED_TO_US = `folder=$1
shift
exec 3<&0
ssh "$@" </dev/null 3<&- &
ssh=$!
{ read -r end; trap '' TERM; kill "$ssh"; command -p rm -rf "$folder"; } <&3 &
wait "$ssh"
code=$?
kill "$!" 2>/dev/null
wait
exit "$code"
`;

/** No question is ever asked, one connection carries all channels, and a socket that cannot be forwarded is an error. */
const OPTIONS = [
  'BatchMode=yes',
  'ConnectTimeout=15',
  'ServerAliveInterval=15',
  'ExitOnForwardFailure=yes',
  'StreamLocalBindMask=0177',
  'ControlMaster=no',
  'ControlPath=none',
  'ForwardAgent=no',
  'ForwardX11=no',
  'PermitLocalCommand=no',
  'RemoteCommand=none',
  'RequestTTY=no',
];

/** What ssh says, and what to do about it. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  // Says that the verification failed too, so it is looked for first.
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    'its host key has changed: if that is right, remove the old one with `ssh-keygen -R',
  ],
  [/Host key verification failed|No .* host key is known/i, 'its host key is not known here: connect once with `ssh'],
  [/Permission denied/i, 'it lets nobody in without a question: offer a key or an ssh agent, and try `ssh'],
  [/not found|ENOENT/i, 'there is no ssh command: install the OpenSSH client, then try `ssh'],
];

/** The sentence for an ssh that ended with these last words. */
function sshFailure(address: string, destination: string, words: string): string {
  const found = REMEDIES.find(([pattern]) => pattern.test(words));
  const remedy = found === undefined ? '' : `: ${found[1]} ${destination}\``;
  const last = lastLine(words);
  return `no way to ${address} by ssh${remedy}${last === '' ? '' : ` (ssh says: ${last})`}`;
}

/**
 * A private socket of this host whose connections are carried by one ssh to the engine's socket on another: one login,
 * however many connections, and nothing needed there but its sshd. In a process group of its own, so that Ctrl-C leaves
 * it there for the clean-up. Throws EngineError (`lost`).
 */
export async function forwardSsh(
  address: string,
  to: Extract<EngineAddress, { kind: 'ssh' }>,
  options: { readonly env: NodeJS.ProcessEnv; readonly identityFile?: string },
): Promise<Forwarder> {
  const folder = await mkdtemp(join(tmpdir(), 'lf-qualify-ssh-'));
  const socketPath = join(folder, 'engine.sock');
  const log = join(folder, 'ssh.log');
  const { execa } = await import('execa');
  const subprocess = execa(
    '/bin/sh',
    [
      '-c',
      TIED_TO_US,
      'ssh-forwarder',
      folder,
      ...OPTIONS.flatMap((option) => ['-o', option]),
      ...(to.port === undefined ? [] : ['-p', String(to.port)]),
      ...(options.identityFile === undefined ? [] : ['-i', options.identityFile]),
      ...['-N', '-T', '-L', `${socketPath}:${to.socketPath}`, '--', to.destination],
    ],
    {
      env: options.env,
      extendEnv: false,
      detached: true,
      cleanup: false,
      reject: false,
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: { file: log },
    },
  );
  const stop = async (): Promise<void> => {
    subprocess.stdin.destroy();
    await subprocess;
    await rm(folder, { recursive: true, force: true });
  };
  let ended = false;
  void subprocess.then(() => {
    ended = true;
  });
  const words = async (): Promise<string> => await readFile(log, 'utf8').catch(() => '');
  const deadline = Date.now() + START_LIMIT_MS;
  while (!ended && Date.now() < deadline) {
    // ssh listens once it is let in.
    if (await listens(socketPath)) {
      return { endpoint: `unix://${socketPath}`, said: async () => lastLine(await words()), close: stop };
    }
    await sleep(POLL_MS);
  }
  const said = ended ? await words() : `no answer within ${START_LIMIT_MS} ms`;
  await stop();
  throw new EngineError(sshFailure(address, to.destination, said), { lost: true });
}

async function listens(socketPath: string): Promise<boolean> {
  const socket = connect(socketPath);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}
