import type { ProcessFact } from '../../model/observation.ts';

/** What a process is to the stop, by its program's name. */
export type Role = 'init' | 'shell' | 'launcher' | 'placeholder' | 'service';

/** Programs that forward signals and reap: they may stand in front of the service. */
const INITS = [
  ...['tini', 'tini-static', 'docker-init', 'dumb-init', 'catatonit', 'podman-init', 'init', 'systemd', 'pid1'],
  ...['s6-svscan', 's6-supervise', 's6-linux-init', 'runit', 'runsvdir', 'runsv', 'my_init'],
];
const SHELLS = ['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish'];
/** Programs that start the service and stay: some relay signals, none waits for its end and status reliably. */
const LAUNCHERS = [
  ...['npm', 'npx', 'yarn', 'yarnpkg', 'pnpm', 'pnpx', 'corepack', 'nodemon', 'forever', 'pm2', 'pm2-runtime'],
  ...['su', 'sudo', 'gosu', 'su-exec', 'runuser', 'doas', 'setpriv', 'chroot', 'nohup', 'timeout', 'env', 'time'],
  ...['supervisord', 'foreman', 'honcho', 'circusd', 'go', 'mvn', 'gradle', 'make', 'script', 'strace'],
  ...['tsx', 'ts-node-dev', 'tsnd', 'concurrently', 'cross-env', 'dotenv', 'uv', 'uvx', 'bunx'],
];
/** Runtimes that are the service themselves, unless they are asked to start a named script, task or project. */
const LAUNCHING_RUNTIME =
  /^(?:bun (?:(?:run|x) )?(?!run |x )[^\s./]+(?: |$)|deno task(?: |$)|dotnet (?:run|watch)(?: |$))/;
/** Programs that only keep PID 1 occupied while the service runs beside them. */
const PLACEHOLDERS = ['tail', 'sleep', 'cat', 'pause', 'inotifywait'];
/** Interpreters whose first argument can be a launcher. */
const INTERPRETERS = /^(?:node|nodejs|python[\d.]*|ruby|perl)$/;
/** Options of an interpreter whose value is loaded into it and is not the script. */
const LOADS = /^(?:-r|--require|--import|--loader|--experimental-loader)$/;
const LAUNCHER_SCRIPT =
  /^(npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack|nodemon|pm2|pm2-runtime|supervisord|foreman|honcho|tsx|ts-node-dev|tsnd|concurrently|cross-env|dotenv)(?:-cli|-[\d.]*\d)?(?:\.[cm]?js)?$/;
/** `/app/node_modules/tsx/dist/cli.mjs`: a launcher's own file, whatever its name. */
const LAUNCHER_PACKAGE = /\/node_modules\/(tsx|ts-node-dev|concurrently|cross-env|nodemon)\//;

const basename = (path: string): string => path.replace(/^-/, '').split('/').at(-1) ?? path;

/** What runs a program of another platform stands before it, in PID 1 too: binfmt_misc puts it there. */
const EMULATORS = /^(?:qemu-[\w-]+|rosetta)$/;

/** The words of a command line without an emulator in front. */
function wordsOf({ args }: ProcessFact): readonly string[] {
  const words = args.join(' ').split(' ').filter(Boolean);
  return EMULATORS.test(basename(words[0] ?? '')) ? words.slice(1) : words;
}

/** The program a process runs: its first argument's name, looking through busybox, interpreters and set titles. */
export function programOf(process: ProcessFact): string {
  const words = wordsOf(process);
  const first = basename(words[0] ?? process.comm);
  const second = words[1] === undefined ? undefined : basename(words[1]);
  if (first === 'busybox' && second !== undefined) return second;
  if (INTERPRETERS.test(first)) {
    const script = words.slice(1).find((word, i) => !word.startsWith('-') && !LOADS.test(words[i] ?? ''));
    const name =
      script === undefined ? null : (LAUNCHER_SCRIPT.exec(basename(script)) ?? LAUNCHER_PACKAGE.exec(script));
    return name?.[1] ?? first;
  }
  return first;
}

/** Program and arguments without options: `bun run start`. */
function commandLine(process: ProcessFact): string {
  const [, ...words] = wordsOf(process);
  return [programOf(process), ...words.filter((word) => !word.startsWith('-'))].join(' ');
}

/** The role of a process in front of others. A name this table does not know is the service. */
export function roleOf(process: ProcessFact): Role {
  const program = programOf(process);
  if (INITS.includes(program)) return 'init';
  if (SHELLS.includes(program)) return 'shell';
  if (LAUNCHERS.includes(program) || LAUNCHING_RUNTIME.test(commandLine(process))) return 'launcher';
  if (PLACEHOLDERS.includes(program)) return 'placeholder';
  return 'service';
}

/** Whether a process still runs: neither zombie nor dead. */
export function isAlive(process: ProcessFact): boolean {
  return !['Z', 'X', 'x'].includes(process.state);
}

/** Living children of a process in a snapshot. */
export function childrenOf(process: ProcessFact, list: readonly ProcessFact[]): readonly ProcessFact[] {
  return list.filter((other) => other.ppid === process.pid && other.pid !== process.pid && isAlive(other));
}

/** A process as reports name it: `PID 1 sh (shell)`. */
export function nameOf(process: ProcessFact): string {
  const role = roleOf(process);
  return `PID ${process.nsPid} ${programOf(process)}${role === 'service' ? '' : ` (${role})`}`;
}

/**
 * The process that wrongly stands in front of the service, walking from PID 1 through inits: a shell or launcher with
 * living children, or a placeholder as PID 1 or as what an init waits for, with any other process beside it. A shell without children, or with no more
 * than a sleep to wait for, is the service itself: it is in front of nothing. A launcher without children is
 * `undecided`: it may be about to start the service. `chain` is the way down to it, or to the first process of the
 * service.
 */
export function standsInFront(list: readonly ProcessFact[]): Front {
  const first = list.find((process) => process.nsPid === 1);
  if (!first) return { chain: [] };
  if (roleOf(first) === 'placeholder' && list.some((other) => other.nsPid !== 1 && isAlive(other))) {
    return { culprit: first, chain: [first, ...childrenOf(first, list).slice(0, 1)] };
  }
  return walk(first, list);
}

interface Front {
  readonly culprit?: ProcessFact;
  readonly undecided?: ProcessFact;
  readonly chain: readonly ProcessFact[];
}

function walk(process: ProcessFact, list: readonly ProcessFact[]): Front {
  const children = childrenOf(process, list);
  const role = roleOf(process);
  if (role === 'launcher' && children.length === 0) return { undecided: process, chain: [process] };
  if (role === 'launcher') return { culprit: process, chain: [process, ...deepest(children[0], list)] };
  if (role === 'shell') {
    const served = servedBy(process, list);
    return served ? { culprit: process, chain: [process, ...deepest(served, list)] } : { chain: [process] };
  }
  if (role !== 'init') return { chain: [process] };
  const hidden = placeholderInFront(children);
  if (hidden) return { culprit: hidden, chain: [process, hidden] };
  const below = children.map((child) => walk(child, list));
  const worst = below.find((branch) => branch.culprit) ?? below.find((branch) => branch.undecided) ?? below[0];
  if (!worst) return { chain: [process] };
  return { ...worst, chain: [process, ...worst.chain] };
}

/** A placeholder that an init started first, and so waits for, while others work beside it: they were adopted. */
function placeholderInFront(children: readonly ProcessFact[]): ProcessFact | undefined {
  const [first, ...others] = children.toSorted((a, b) => a.nsPid - b.nsPid);
  const works = others.some((other) => roleOf(other) !== 'placeholder');
  return first && works && roleOf(first) === 'placeholder' ? first : undefined;
}

/** What a shell stands in front of: a child that does work, or a daemon beside it while it only waits. */
function servedBy(shell: ProcessFact, list: readonly ProcessFact[]): ProcessFact | undefined {
  const working = (process: ProcessFact): boolean => roleOf(process) !== 'placeholder';
  const children = childrenOf(shell, list);
  const parent = list.find((process) => process.pid === shell.ppid);
  const beside = parent && children.length > 0 ? childrenOf(parent, list).filter((other) => other !== shell) : [];
  return [...children, ...beside].find(working);
}

function deepest(process: ProcessFact | undefined, list: readonly ProcessFact[]): readonly ProcessFact[] {
  return process ? [process, ...deepest(childrenOf(process, list)[0], list)] : [];
}

/** How PID 1 treats a signal by its masks, in words. Explains an effect; decides nothing (IMG-2). */
export function maskInWords(process: ProcessFact, signal: number): string {
  const has = (mask: string): boolean => ((BigInt(`0x${mask || '0'}`) >> BigInt(signal - 1)) & 1n) === 1n;
  const bits = [
    `SigCgt ${has(process.caught) ? 1 : 0}`,
    `SigIgn ${has(process.ignored) ? 1 : 0}`,
    `SigBlk ${has(process.blocked) ? 1 : 0}`,
  ];
  return bits.join(', ');
}
