import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';

const cache = join(import.meta.dirname, '..', '.cache', 'debian');

/** What an image's file `packages` asks for: one Debian package a line, `-name` for one of the closure to leave out. */
export interface PackageList {
  readonly wanted: readonly string[];
  /** Dependencies that only maintainer scripts or rare features use. */
  readonly leftOut: readonly string[];
}

/**
 * Reads the text of a file `packages`; `#` begins a comment.
 * @throws {Error} when a line is no package name
 */
export const parsePackages = (text: string): PackageList => {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
  for (const line of lines) {
    if (!/^-?[a-z0-9][a-z0-9+.-]+$/.test(line)) throw new Error(`packages: "${line}" is no name of a Debian package`);
  }
  return {
    wanted: lines.filter((line) => !line.startsWith('-')),
    leftOut: lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1)),
  };
};

/** Archive names of the closure in what `apt-get --print-uris` prints: `'URL' name_version_arch.deb SIZE HASH`. */
export const archivesOf = (printed: string): readonly string[] =>
  [...printed.matchAll(/^'[^']*' (\S+\.deb) /gm)].map((match) => match[1] ?? '');

const packageOf = (archive: string): string => archive.split('_')[0] ?? archive;

/** Runs apt-get as if nothing were installed, so that a closure is whole, down to libc6. */
const apt = async (packages: readonly string[], archives: string, ...options: readonly string[]): Promise<string> => {
  const settings = [
    'Dir::State::status=/dev/null',
    `Dir::Cache::archives=${archives}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  const { stdout } = await execa('apt-get', [
    'install',
    '-y',
    '-q',
    '--no-install-recommends',
    ...settings,
    ...options,
    ...packages,
  ]);
  return stdout;
};

/** The archives of the closure, in `.cache/debian/archives`, which all images share. */
const download = async (packages: readonly string[]): Promise<readonly string[]> => {
  const archives = join(cache, 'archives');
  // What is there already is not printed: the list comes from looking into an empty folder.
  const empty = join(cache, 'empty');
  for (const folder of [archives, empty]) await mkdir(join(folder, 'partial'), { recursive: true });
  const fetch = async (): Promise<readonly string[]> => {
    const names = archivesOf(await apt(packages, empty, '--print-uris'));
    await apt(packages, archives, '--download-only');
    return names.map((name) => join(archives, name));
  };
  try {
    // A new machine has no lists of packages, or old ones.
    return await fetch().catch(async () => {
      await execa('apt-get', ['update', '-q']);
      return await fetch();
    });
  } catch (cause) {
    throw new Error(`the Debian packages ${packages.join(', ')} cannot be downloaded: this needs apt-get of Debian`, {
      cause,
    });
  }
};

/** Left out everywhere: nothing at run time reads them. */
const unneeded = ['doc', 'doc-base', 'info', 'lintian', 'locale', 'man', 'bug', 'bash-completion'].map(
  (folder) => `./usr/share/${folder}`,
);

/** Unpacks one archive. Its maintainer scripts do not run: what they would do, a Dockerfile says. */
const unpack = async (archive: string, target: string): Promise<void> => {
  const tar = ['-x', '--keep-directory-symlink', '--no-same-owner', '-p', '-C', target];
  const without = [...unneeded, './usr/share/icons'].map((path) => `--exclude=${path}`);
  await execa('dpkg-deb', ['--fsys-tarfile', archive], { encoding: 'buffer', buffer: false }).pipe('tar', [
    ...tar,
    ...without,
  ]);
};

/** Users and groups that the maintainer scripts of the servers add, with the numbers that Debian gives the fixed ones. */
const users: Readonly<Record<string, string>> = {
  root: 'root:x:0:0:root:/root:/bin/sh',
  nobody: 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin',
  'www-data': 'www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin',
  redis: 'redis:x:101:101::/var/lib/redis:/usr/sbin/nologin',
  postgres: 'postgres:x:102:102::/var/lib/postgresql:/bin/sh',
  mosquitto: 'mosquitto:x:103:103::/var/lib/mosquitto:/usr/sbin/nologin',
  haproxy: 'haproxy:x:104:104::/var/lib/haproxy:/usr/sbin/nologin',
  tomcat: 'tomcat:x:105:105::/var/lib/tomcat10:/usr/sbin/nologin',
};

const etc: Readonly<Record<string, string>> = {
  passwd: `${Object.values(users).join('\n')}\n`,
  group: `${Object.values(users)
    .map((line) => line.split(':'))
    .map(([name, , , group]) => `${name === 'nobody' ? 'nogroup' : name}:x:${group}:`)
    .join('\n')}\ntty:x:5:\nadm:x:4:\n`,
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/**
 * Makes a root file system at `target` out of the Debian packages named in the file `packages` of an image's folder and all
 * that they depend on. No maintainer script runs, docs are left out, everything belongs to root.
 */
export const provideDebianRoot = async (imageFolder: string, target: string): Promise<void> => {
  const { wanted, leftOut } = parsePackages(await readFile(join(imageFolder, 'packages'), 'utf8'));
  const archives = (await download(wanted)).filter((archive) => !leftOut.includes(packageOf(basename(archive))));
  // Debian's merged /usr, before any package brings a /bin of its own
  for (const folder of ['bin', 'lib', 'lib64', 'sbin']) {
    await mkdir(join(target, 'usr', folder), { recursive: true });
    await symlink(`usr/${folder}`, join(target, folder));
  }
  await mkdir(join(target, 'var'), { recursive: true });
  await mkdir(join(target, 'run'), { recursive: true });
  await symlink('/run', join(target, 'var/run'));
  for (const archive of archives) await unpack(archive, target);
  for (const [name, text] of Object.entries(etc)) {
    await mkdir(join(target, 'etc'), { recursive: true });
    await writeFile(join(target, 'etc', name), text);
  }
  for (const folder of ['tmp', 'root', 'var/tmp', 'var/log']) await mkdir(join(target, folder), { recursive: true });
  await execa('ldconfig', ['-r', target]);
};
