import { readdir, readFile } from 'node:fs/promises';
import { execa } from 'execa';
import type { EngineDriver, HeldContainer, Ownership, Sidecar } from '../engine/driver.ts';
import type { EngineFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { ProcessFact } from '../model/observation.ts';
import type { Standing } from '../observe/listening.ts';
import { standingIn } from '../observe/listening.ts';
import type { Dial } from '../wire/dial.ts';
import type { Relay } from '../wire/relay.ts';
import { isItsPid1 } from './life.ts';
import { sidecarRelay } from './sidecar-relay.ts';
import type { Vantage } from './vantage.ts';
import { chooseVantage } from './vantage.ts';

/** What a running container is looked at with: its processes and sockets, and a way to its ports. */
export interface StandingView {
  /** Absent where it cannot be seen into, with why. Rejects where it cannot be told any more, be it that it has ended. */
  readonly look?: () => Promise<Standing>;
  readonly unseen?: string;
  /**
   * How long the threads of these have run, or waited for a CPU that others had, ms; absent where that is not seen. On a busy
   * machine who waits for his turn is not idle.
   */
  readonly workMs?: (processes: readonly ProcessFact[]) => Promise<number>;
  /** How long to leave between two looks. */
  readonly everyMs: number;
  /** The way to its ports; absent where there is none, with why. */
  readonly way?: { readonly address: string; readonly dial?: Dial };
  readonly unreached?: string;
  /** To be called before the container is removed: Podman refuses that while a sidecar lives. */
  close(): Promise<void>;
}

const LOOK_LIMIT_MS = 10_000;
const LOCAL_EVERY_MS = 50;
/** Each look is a command in the sidecar. */
const SIDECAR_EVERY_MS = 150;
/** USER_HZ is 100 on every Linux that there is (proc(5)). */
const MS_PER_TICK = 10;

/** Where a container is looked at from. */
export interface ViewOptions {
  readonly driver: EngineDriver;
  readonly engine: EngineFacts;
  readonly container: HeldContainer;
  /** PID 1 on the engine's host. */
  readonly pid: number;
  /** What the sidecar's name begins with. */
  readonly name: string;
  readonly ownership: Ownership;
  readonly vantage?: Vantage;
  /** The helper on this host, where it runs here, and its image on the engine. */
  readonly helper?: string;
  readonly helperImage?: string;
}

/**
 * From this host where the engine is local and we may read its processes; else through a sidecar in the container's network
 * that sees the host's processes, as for the cells of a run. Throws EngineError where a sidecar fails or the engine is lost.
 */
export async function standingView(options: ViewOptions): Promise<StandingView> {
  const { engine, container, pid } = options;
  const choice = await chooseVantage(engine, container.address, options.vantage);
  const local = await localLook(options);
  const direct = choice.vantage === 'direct' && container.address !== undefined;
  const near: Pick<StandingView, 'look' | 'workMs'> = local === undefined ? {} : { look: local, workMs };
  const way = direct ? { way: { address: container.address ?? '' } } : {};
  if (direct && local !== undefined) return { ...near, ...way, everyMs: LOCAL_EVERY_MS, close: async () => undefined };
  const none = (why: string): StandingView => ({
    ...(local === undefined ? { unseen: why } : near),
    ...(direct ? way : { unreached: why }),
    everyMs: LOCAL_EVERY_MS,
    close: async () => undefined,
  });
  if (choice.vantage === 'none') return none(choice.why);
  if (options.helperImage === undefined) return none('there is no helper for a sidecar');
  const opened = await openRelaySidecar(options, options.helperImage);
  if ('refused' in opened) return none(`the sidecar did not start: ${opened.refused}`);
  const { relay, sidecar } = opened;
  const { unwatched } = relay.hello;
  const seen: Pick<StandingView, 'look' | 'unseen'> =
    unwatched === ''
      ? { look: async () => await lookIn(options.driver, sidecar, pid) }
      : { unseen: `its processes are not seen from a sidecar: ${unwatched}` };
  return {
    ...(local === undefined ? seen : near),
    ...(direct ? way : { way: { address: container.address ?? '127.0.0.1', dial: relay.dial } }),
    everyMs: local === undefined ? SIDECAR_EVERY_MS : LOCAL_EVERY_MS,
    async close() {
      relay.close();
      await sidecar.remove();
    },
  };
}

/** By the helper as a process of this host; undefined where it does not run here, or may not read the namespaces. */
async function localLook({ engine, helper, container, pid }: ViewOptions): Promise<StandingView['look'] | undefined> {
  if (helper === undefined || !engine.local || !(await isItsPid1({ pid, id: container.id }))) return undefined;
  const look = async (): Promise<Standing> => {
    const { stdout } = await execa(helper, ['snapshot', String(pid)], {
      timeout: LOOK_LIMIT_MS,
      stripFinalNewline: false,
      stdin: 'ignore',
    });
    return standingIn(stdout);
  };
  try {
    await look();
    return look;
  } catch {
    return undefined; // the sidecar may see what we may not
  }
}

/** As in the sidecar of a cell, its look is a command of its own, since the relay tells processes and no sockets. */
async function lookIn(driver: EngineDriver, sidecar: Sidecar, pid: number): Promise<Standing> {
  const { exitCode, output } = await driver.runIn(sidecar.id, ['/lfq-helper', 'snapshot', String(pid)], LOOK_LIMIT_MS);
  if (exitCode !== 0) throw new EngineError(`the helper in the sidecar: ${output}`);
  return standingIn(`${output}\n`);
}

async function openRelaySidecar(
  { driver, container, name, ownership, pid }: ViewOptions,
  image: string,
): Promise<{ readonly relay: Relay; readonly sidecar: Sidecar } | { readonly refused: string }> {
  const command = ['relay', String(pid)];
  const network = { container: container.id };
  let sidecar: Sidecar;
  try {
    sidecar = await driver.startSidecar({
      name: `${name}-sidecar`,
      image,
      command,
      network,
      ownership,
      hostProcesses: true,
    });
  } catch (error) {
    if (!(error instanceof EngineError) || error.lost) throw error;
    return { refused: error.message };
  }
  try {
    return { relay: await sidecarRelay(sidecar), sidecar };
  } catch (error) {
    await sidecar.remove().catch(() => undefined);
    throw error;
  }
}

/** Of all threads; a thread that has ended takes its time with it. */
async function workMs(processes: readonly ProcessFact[]): Promise<number> {
  const times = await Promise.all(
    processes.map(async ({ pid }) => {
      const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
      return await Promise.all(threads.map((thread) => threadMs(`/proc/${pid}/task/${thread}`)));
    }),
  );
  return times.flat().reduce((sum, one) => sum + one, 0);
}

/** `schedstat`: ns on a CPU, ns runnable and without one. A kernel without it has fields 14 and 15 of `stat`, ticks on a CPU. */
async function threadMs(path: string): Promise<number> {
  const schedule = await readFile(`${path}/schedstat`, 'utf8').catch(() => '');
  const [ran = 0, waited = 0] = schedule.split(' ').map(Number);
  if (schedule !== '') return (ran + waited) / 1e6;
  const stat = await readFile(`${path}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) || 0) + (Number(fields[12]) || 0)) * MS_PER_TICK;
}
