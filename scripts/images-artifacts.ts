import { chmod, copyFile, cp, mkdir, readdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { execa } from 'execa';
import { buildHelper, helperPath } from './build-helper.ts';
import { provideDebianRoot } from './images-debian.ts';
import { provideNodeModules } from './images-node-modules.ts';

const root = join(import.meta.dirname, '..');

/** A file or folder that an image needs and that is not in the repository. */
export interface Artifact {
  /** Files whose content decides whether the image is built again. */
  inputs(imageFolder: string): Promise<readonly string[]>;
  /** Puts it at `target`. */
  provide(imageFolder: string, target: string): Promise<void>;
}

const copyExecutable = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to);
  await chmod(to, 0o755);
};

/** The real binary of the dev dependency `node`, never the Node that happens to be installed. */
const nodeBinary = (): Promise<string> => realpath(join(root, 'node_modules/node/bin/node'));

/** Absolute paths of the shared libraries a binary loads, its loader included; first those unpacked under `at`. */
const libraries = async (binary: string, at = '/'): Promise<readonly string[]> => {
  const machine = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
  const unpacked = at === '/' ? [] : ['lib', 'usr/lib'].map((folder) => join(at, folder, machine));
  const { stdout } = await execa('ldd', [binary], { env: { LD_LIBRARY_PATH: unpacked.join(':') } });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? '');
};

/** A root file system that can run Node and TypeScript files, and nothing else: no shell. */
const nodeRoot: Artifact = {
  inputs: async () => [await nodeBinary(), ...(await libraries(await nodeBinary()))],
  provide: async (_folder, target) => {
    const place = async (from: string, at: string): Promise<void> => {
      await mkdir(dirname(join(target, at)), { recursive: true });
      await copyExecutable(from, join(target, at));
    };
    const binary = await nodeBinary();
    await place(binary, '/bin/node');
    for (const library of await libraries(binary)) await place(library, library);
    const texts: Readonly<Record<string, string>> = {
      '/etc/passwd': 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000:node:/home/node:/bin/sh\n',
      '/etc/group': 'root:x:0:\nnode:x:1000:\n',
      '/etc/nsswitch.conf': 'hosts: files dns\n',
      // the programs lie as in the repository, so that their relative imports hold
      '/images/package.json': '{ "type": "module" }\n',
    };
    for (const [at, text] of Object.entries(texts)) {
      await mkdir(dirname(join(target, at)), { recursive: true });
      await writeFile(join(target, at), text);
    }
    await mkdir(join(target, 'tmp'), { mode: 0o1777 });
    await mkdir(join(target, 'root'), { recursive: true });
  },
};

const isStatic = async (binary: string): Promise<boolean> => {
  const { all } = await execa('ldd', [binary], { reject: false, all: true });
  return (all ?? '').includes('not a dynamic executable');
};

/** A static busybox: the system's, else Debian's package unpacked under `.cache`, without installing it. */
const busyboxPath = async (): Promise<string> => {
  const cache = join(root, '.cache', 'busybox-static');
  const candidates = ['/bin/busybox', '/usr/bin/busybox', join(cache, 'bin/busybox'), join(cache, 'usr/bin/busybox')];
  for (const candidate of candidates) if (await isStatic(candidate)) return candidate;
  await mkdir(cache, { recursive: true });
  try {
    await execa('apt-get', ['download', 'busybox-static'], { cwd: cache });
    await execa('sh', ['-c', 'dpkg-deb -x busybox-static_*.deb .'], { cwd: cache });
  } catch (cause) {
    throw new Error('images with a shell need a static busybox: install the package busybox-static', { cause });
  }
  for (const candidate of candidates) if (await isStatic(candidate)) return candidate;
  throw new Error('the package busybox-static holds no static busybox: put one at /bin/busybox');
};

const busybox: Artifact = {
  inputs: async () => [await busyboxPath()],
  provide: async (_folder, target) => copyExecutable(await busyboxPath(), target),
};

/** The dev dependency `npm` if there is one, else the npm of this machine. */
const npmFolder = async (): Promise<string> => {
  const own = join(root, 'node_modules/npm');
  if (await readFile(join(own, 'package.json')).catch(() => undefined)) return own;
  return join((await execa('npm', ['root', '-g'])).stdout.trim(), 'npm');
};

const npm: Artifact = {
  inputs: async () => [join(await npmFolder(), 'package.json')],
  provide: async (_folder, target) => {
    const from = await realpath(await npmFolder());
    const unneeded = new Set(['docs', 'man']);
    await cp(from, target, {
      recursive: true,
      filter: (path) => !(dirname(path) === from && unneeded.has(basename(path))),
    });
  },
};

/** `server.c` of the image's own folder, static. */
const compiled: Artifact = {
  inputs: async () => [],
  provide: async (folder, target) => {
    await execa('gcc', ['-O2', '-static', '-s', '-Wall', '-Wextra', '-Werror', '-o', target, join(folder, 'server.c')]);
  },
};

/** Where Debian's package of PostgreSQL has its programs: the system's, else unpacked under `.cache`, without installing it. */
const postgresFolder = async (): Promise<{ readonly folder: string; readonly root: string }> => {
  const cache = join(root, '.cache', 'postgresql');
  const find = async (): Promise<{ folder: string; root: string } | undefined> => {
    for (const at of ['/', cache]) {
      const versions = await readdir(join(at, 'usr/lib/postgresql')).catch(() => []);
      const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
      if (newest !== undefined) return { folder: join(at, 'usr/lib/postgresql', newest), root: at };
    }
    return undefined;
  };
  const there = await find();
  if (there) return there;
  const archives = join(cache, 'archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  try {
    const only = ['--download-only', '--no-install-recommends', '-y', '-o', `Dir::Cache::archives=${archives}`];
    const download = async (): Promise<unknown> => await execa('apt-get', ['install', ...only, 'postgresql']);
    // A new machine has no lists of packages, or old ones.
    await download().catch(async () => {
      await execa('apt-get', ['update', '-q']);
      await download();
    });
    await execa('sh', ['-c', 'for package in archives/*.deb; do dpkg-deb -x "$package" .; done'], { cwd: cache });
  } catch (cause) {
    throw new Error('the image postgres is made from the Debian package postgresql: install it', { cause });
  }
  const unpacked = await find();
  if (unpacked) return unpacked;
  throw new Error('the package postgresql holds no /usr/lib/postgresql: install PostgreSQL');
};

/** PostgreSQL with what it loads, for a user 999: programs under /usr/lib/postgresql/bin, no cluster. */
const postgresRoot: Artifact = {
  inputs: async () => [join((await postgresFolder()).folder, 'bin/postgres')],
  provide: async (_folder, target) => {
    const { folder, root: at } = await postgresFolder();
    const version = basename(folder);
    const to = join(target, 'usr/lib/postgresql', version);
    const programs = ['postgres', 'initdb', 'psql', 'pg_isready'].map((name) => `bin/${name}`);
    const modules = ['plpgsql.so', 'dict_snowball.so'].map((name) => `lib/${name}`);
    for (const file of [...programs, ...modules]) {
      await mkdir(dirname(join(to, file)), { recursive: true });
      await copyExecutable(join(folder, file), join(to, file));
      for (const library of await libraries(join(folder, file), at)) {
        const place = join(target, library.startsWith(at) ? relative(at, library) : library);
        await mkdir(dirname(place), { recursive: true });
        await copyExecutable(library, place);
      }
    }
    await symlink(`${version}/bin`, join(target, 'usr/lib/postgresql/bin'));
    const share = join('usr/share/postgresql', version);
    await cp(join(at, share), join(target, share), {
      recursive: true,
      filter: (path) => !/\/(man|doc|locale|tsearch_data\/.*\.(rules|affix|dict))$/.test(path),
    });
    await mkdir(join(target, 'etc'), { recursive: true });
    await writeFile(join(target, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\npostgres:x:999:999:postgres:/:/bin/sh\n');
    await writeFile(join(target, 'etc/group'), 'root:x:0:\npostgres:x:999:\n');
    await mkdir(join(target, 'tmp'));
  },
};

const helper: Artifact = {
  inputs: async () => {
    await buildHelper({ all: false, say: console.log });
    return [helperPath(process.arch)];
  },
  provide: async (_folder, target) => copyExecutable(helperPath(process.arch), target),
};

/** The Debian packages that the image's file `packages` names. An update of Debian alone builds nothing again. */
const debianRoot: Artifact = {
  inputs: async () => [join(import.meta.dirname, 'images-debian.ts')],
  provide: provideDebianRoot,
};

/** What the image's package-lock.json names. */
const nodeModules: Artifact = { inputs: async () => [], provide: provideNodeModules };

/** The dependency `ws` of this repository, which needs no other package. */
const ws: Artifact = {
  inputs: async () => [join(root, 'node_modules/ws/package.json')],
  provide: async (_folder, target) => await cp(join(root, 'node_modules/ws'), target, { recursive: true }),
};

/** By the name a Dockerfile uses: `COPY artifacts/<name> …`. */
export const artifacts: Readonly<Record<string, Artifact>> = {
  'node-root': nodeRoot,
  'postgres-root': postgresRoot,
  'debian-root': debianRoot,
  'node-modules': nodeModules,
  busybox,
  npm,
  ws,
  compiled,
  helper,
};
