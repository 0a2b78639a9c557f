import { EngineError } from '../model/errors.ts';
import type {
  CommandResult,
  ContainerSpec,
  ContainerState,
  EngineEvent,
  FolderFile,
  RunningContainer,
  StartHooks,
  OutputListener,
} from './driver.ts';
import type { FakeBehaviour, FakeExit, FakeReaction } from './fake-behaviour.ts';
import { signalName } from './signal-names.ts';
import type { VirtualClock } from './virtual-clock.ts';

const DEFAULT_STOP_S = 10;
const KILLED = 137;
/** Between the pids of two lives of one container: so many containers have different ones. */
const PIDS_APART = 10_000;

/** What a fake container needs of its engine. */
export interface FakeHost {
  readonly clock: VirtualClock;
  readonly stopSignal: string;
  readonly pid: number;
  readonly address?: string;
  /** Before every call: takes the call's virtual time, and fails it where the test wants that. */
  call(name: string): Promise<void>;
  gone(id: string): void;
}

/** One scripted container on virtual time. */
export class FakeContainer implements RunningContainer {
  readonly id: string;
  readonly name: string;
  readonly address?: string;
  readonly spec: ContainerSpec;
  readonly #host: FakeHost;
  readonly #behaviour: FakeBehaviour;
  #hooks: StartHooks;
  #pid: number;
  #startedAtNs: bigint;
  readonly #log: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  readonly #events: EngineEvent[] = [];
  #end = Promise.withResolvers<void>();
  #exitAsked = false;
  #exit: (FakeExit & { readonly atNs: bigint }) | undefined;

  constructor(id: string, spec: ContainerSpec, behaviour: FakeBehaviour, host: FakeHost, hooks: StartHooks) {
    this.id = id;
    this.name = spec.name;
    this.#pid = host.pid;
    this.spec = spec;
    if (host.address !== undefined) this.address = host.address;
    this.#host = host;
    this.#hooks = hooks;
    this.#behaviour = behaviour;
    this.#startedAtNs = host.clock.now();
    hooks.onCreated?.(id, spec.name);
    this.#event({ action: 'create' });
    this.#event({ action: 'start' });
    this.#react(behaviour.onStart);
  }

  /** Of its present life. */
  get pid(): number {
    return this.#pid;
  }

  async inspect(): Promise<ContainerState> {
    await this.#host.call(`inspect ${this.id}`);
    return this.#state();
  }

  async kill(signal: string): Promise<'delivered' | 'ended'> {
    await this.#host.call(`kill ${signal} ${this.id}`);
    return this.#deliver(signalName(signal));
  }

  async stop(timeoutS: number = DEFAULT_STOP_S): Promise<void> {
    await this.#host.call(`stop ${this.id}`);
    if (this.#deliver(this.#host.stopSignal) === 'ended') return;
    const late = new AbortController();
    const timeout = this.#host.clock.sleep(timeoutS * 1000, late.signal).catch(() => undefined);
    await Promise.race([timeout, this.#end.promise]);
    late.abort();
    this.#deliver('KILL');
  }

  async ended(abort: AbortSignal): Promise<ContainerState> {
    abort.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(abort.reason);
    abort.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#end.promise, aborted.promise]);
    } finally {
      abort.removeEventListener('abort', onAbort);
    }
    return this.inspect();
  }

  async logs(listener: OutputListener, lastEntries = Number.POSITIVE_INFINITY): Promise<void> {
    await this.#host.call(`logs ${this.id}`);
    for (const stream of ['stdout', 'stderr'] as const) {
      const lines = Buffer.concat(this.#log[stream])
        .toString()
        .split(/(?<=\n)/);
      for (const line of lines.slice(-lastEntries)) listener(stream, Buffer.from(line));
    }
  }

  async events(): Promise<readonly EngineEvent[]> {
    await this.#host.call(`events ${this.id}`);
    return [...this.#events];
  }

  async startAgain(hooks: StartHooks): Promise<this> {
    await this.#host.call(`start ${this.name} again`);
    if (!this.#exit) throw new EngineError(`fake: start ${this.name} again: it is running`);
    this.#hooks = hooks;
    this.#pid += PIDS_APART;
    this.#startedAtNs = this.#host.clock.now();
    this.#exit = undefined;
    this.#exitAsked = false;
    this.#end = Promise.withResolvers<void>();
    this.#event({ action: 'start' });
    this.#react(this.#behaviour.onStartAgain ?? this.#behaviour.onStart);
    return this;
  }

  async remove(): Promise<void> {
    await this.#host.call(`remove ${this.id}`);
    this.#deliver('KILL');
    this.#host.gone(this.id);
  }

  /** Run a command in it. Throws EngineError where the script knows none such, it hangs, or the container has ended. */
  async command(command: readonly string[], limitMs: number): Promise<CommandResult> {
    const call = `run ${command[0]} in ${this.id}`;
    await this.#host.call(call);
    if (this.#exit) throw new EngineError(`fake: ${call}: it is not running`);
    const result = this.#behaviour.onCommand?.(command);
    if (result === undefined) throw new EngineError(`fake: ${call}: no such file or directory`);
    if (result !== 'hangs') return result;
    await this.#host.clock.sleep(limitMs);
    throw new EngineError(`fake: ${call} did not return within ${limitMs} ms`);
  }

  /** What is in a folder of it, also after its end. Throws EngineError where the script knows none such. */
  async folder(path: string): Promise<readonly FolderFile[]> {
    const call = `read ${path} of ${this.id}`;
    await this.#host.call(call);
    const files = this.#behaviour.folder?.(path);
    if (files === undefined) throw new EngineError(`fake: ${call}: no such file or directory`);
    return files;
  }

  /** What its HEALTHCHECK says, where it has one. */
  async health(): Promise<'healthy' | 'unhealthy' | 'starting'> {
    await this.#host.call(`health of ${this.id}`);
    return this.#exit ? 'unhealthy' : (this.#behaviour.health?.() ?? 'healthy');
  }

  #state(): ContainerState {
    const exit = this.#exit;
    const address = this.address === undefined || exit ? {} : { address: this.address };
    const base = { oomKilled: exit?.oomKilled ?? false, startedAtNs: this.#startedAtNs, ...address };
    if (!exit) return { running: true, status: 'running', pid: this.pid, ...base };
    return { running: false, status: 'exited', exitCode: exit.code, finishedAtNs: exit.atNs, ...base };
  }

  #deliver(signal: string): 'delivered' | 'ended' {
    if (this.#exit) return 'ended';
    this.#event({ action: 'kill', signal });
    if (signal === 'KILL') this.#finish({ code: KILLED });
    else this.#react(this.#behaviour.onSignal?.(signal));
    return 'delivered';
  }

  #react(reaction: FakeReaction | undefined): void {
    for (const { stream = 'stdout', text } of reaction?.output ?? []) {
      const chunk = Buffer.from(text);
      this.#log[stream].push(chunk);
      this.#hooks.onOutput?.(stream, chunk);
    }
    const exit = reaction?.exit;
    if (!exit || this.#exitAsked) return;
    this.#exitAsked = true;
    if (exit.afterMs) void this.#host.clock.sleep(exit.afterMs).then(() => this.#finish(exit));
    else this.#finish(exit);
  }

  #finish(exit: FakeExit): void {
    if (this.#exit) return;
    this.#exit = { ...exit, atNs: this.#host.clock.now() };
    if (exit.oomKilled) this.#event({ action: 'oom' });
    this.#event({ action: 'die', exitCode: exit.code });
    this.#hooks.onOutputEnd?.();
    this.#end.resolve();
  }

  #event(event: Omit<EngineEvent, 'atNs'>): void {
    this.#events.push({ ...event, atNs: this.#host.clock.now() });
  }
}
