import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/** An sshd of the test's own on loopback, which knows one key. */
export interface PrivateSshd {
  /** `ssh://user@127.0.0.1:port`, to which the path of a socket can be added. */
  readonly address: string;
  /** A folder to put in front of PATH: its `ssh` uses no configuration and no known host but those of the test. */
  readonly bin: string;
  /** Which login that `ssh` tries: what it needs, or with one thing missing. */
  use(login: 'key' | 'no key' | 'unknown host' | 'changed host'): Promise<void>;
  /** The ssh processes of clients that carry to it, as `ps` shows them. */
  carriers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Needs root, as sshd does. */
export async function privateSshd(): Promise<PrivateSshd> {
  const folder = await mkdtemp(join(tmpdir(), 'lfq-sshd-'));
  const at = (name: string): string => join(folder, name);
  const keygen = async (name: string) => await execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at(name)]);
  await Promise.all(['host', 'user', 'stranger'].map(keygen));
  const port = await freePort();
  await copyFile(at('user.pub'), at('authorized'));
  await writeFile(
    at('sshd_config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${at('host')}`,
      `AuthorizedKeysFile ${at('authorized')}`,
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'PidFile none',
      'PermitRootLogin prohibit-password',
    ].join('\n'),
  );
  // Without this folder sshd does not start; its package makes it only where an init runs.
  await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const server = execa('/usr/sbin/sshd', ['-D', '-e', '-f', at('sshd_config')], {
    reject: false,
    stdin: 'ignore',
    buffer: false,
  });
  const listening = Promise.withResolvers<void>();
  server.stderr.on('data', (chunk: Buffer) => chunk.includes('Server listening') && listening.resolve());
  void server.then(({ shortMessage }) => listening.reject(new Error(`sshd ended: ${shortMessage}`)));
  await listening.promise;

  const hostOf = async (key: string) => `[127.0.0.1]:${port} ${(await readFile(at(`${key}.pub`), 'utf8')).trim()}\n`;
  const bin = at('bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'ssh'),
    `#!/bin/sh\nexec /usr/bin/ssh -F ${at('config')} -o UserKnownHostsFile=${at('known')} -o GlobalKnownHostsFile=/dev/null "$@"\n`,
  );
  await chmod(join(bin, 'ssh'), 0o755);
  const use: PrivateSshd['use'] = async (login) => {
    const key = login === 'no key' ? 'stranger' : 'user';
    await writeFile(at('config'), `IdentityFile ${at(key)}\nIdentitiesOnly yes\nIdentityAgent none\n`);
    const known = { 'unknown host': '', 'changed host': await hostOf('stranger') };
    await writeFile(at('known'), login in known ? known[login as keyof typeof known] : await hostOf('host'));
  };
  await use('key');
  return {
    address: `ssh://${userInfo().username}@127.0.0.1:${port}`,
    bin,
    use,
    async carriers() {
      const { stdout } = await execa('ps', ['-eo', 'pid=,stat=,args=']);
      return stdout.split('\n').filter((line) => line.includes(`-p ${port} `) && !/^\s*\d+ Z/.test(line));
    },
    async close() {
      server.kill('SIGTERM');
      await server;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
