import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdmissionPermit } from '../reference/admission-gate.ts';
import { AdmissionGate } from '../reference/admission-gate.ts';
import type { Clock } from '../reference/clock.ts';
import { systemClock } from '../reference/clock.ts';
import type { ServiceRequest } from '../reference/exchange.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import type { Registry } from '../reference/registry-session.ts';
import { createRuntime, registryOf } from '../reference/runtime.ts';
import { readSettings } from '../reference/settings.ts';
import type { ShutdownReason } from '../reference/signal-watcher.ts';
import type { StartUpPhase } from '../reference/start-up.ts';
import { Changed, onLaterSignal } from './changed-watcher.ts';
import type { Fault, Faults } from './fault.ts';
import { inRuntime, inTransport } from './fault.ts';
import { RestartingClock } from './restarting-clock.ts';

/** A gate that tells when it opens. */
class TellingGate extends AdmissionGate {
  readonly opened = Promise.withResolvers<void>();
  openedAt: number | undefined;

  override open(): void {
    super.open();
    this.openedAt = systemClock.now();
    this.opened.resolve();
  }
}

/** The first signal is looked at once the service is up. */
const signalWaitsForReady: Fault = (watcher) => {
  const gate = new TellingGate();
  const first = async (next: () => Promise<ShutdownReason>): Promise<ShutdownReason> => {
    const reason = await next();
    await gate.opened.promise;
    return reason;
  };
  return { ...createRuntime(new Changed(watcher, { first })), gate };
};

/** No phase before the binding is cancelled, and each is waited for. */
const uncancelled = (phase: StartUpPhase): StartUpPhase => {
  const { signal } = new AbortController();
  let running = Promise.resolve();
  return {
    name: phase.name,
    run: () => {
      running = phase.run(signal);
      return running;
    },
    undo: () => running.catch(() => undefined),
  };
};

/** The abort of the start waits for the controller, and closes nothing that is under way with it. */
const waitsForRegistration: Fault = inRuntime(({ registry, transport }) => {
  if (!registry) return {};
  let registering = Promise.resolve();
  return {
    registry: {
      start: () => {
        registering = registry.start();
        return registering;
      },
      shutdown: (context) => registry.shutdown(context),
      abort: () => undefined,
    },
    transport: {
      bind: (gate, startupCancel) => transport.bind(gate, startupCancel),
      stop: (context) => transport.stop(context),
      abort: async () => {
        await registering;
        await transport.abort();
      },
    },
  };
});

/** So long after it became ready the process is still busy with its registration and misses a signal, ms. */
const BUSY_MS = 300;

const losesSignalOnEdge: Fault = (watcher) => {
  const gate = new TellingGate();
  const first = async (next: () => Promise<ShutdownReason>): Promise<ShutdownReason> => {
    const reason = await next();
    const busy = gate.openedAt === undefined || systemClock.now() - gate.openedAt < BUSY_MS;
    return busy ? await first(next) : reason;
  };
  const runtime = createRuntime(new Changed(watcher, { first }));
  return runtime.registry ? { ...runtime, gate } : createRuntime(watcher);
};

/** What comes from the config server goes straight into the file of the next start. */
const inPlace = ({ configServer, configCache }: ReturnType<typeof readSettings>): readonly StartUpPhase[] => {
  if (configServer === undefined) return [];
  const run = async (cancel: AbortSignal): Promise<void> => {
    const answer = await fetch(new URL('/config-server/configs', configServer), { signal: cancel });
    const file = await open(join(configCache, 'values.yml'), 'w');
    try {
      for await (const chunk of answer.body ?? []) await file.write(chunk);
    } finally {
      await file.close();
    }
  };
  return [{ name: 'configuration', run }];
};

/** The client of the registry takes the close of its session for a lost connection, and comes back. */
const comingBack = (registry: Registry, again: () => Registry | undefined): Registry => ({
  start: () => registry.start(),
  shutdown: (context) => registry.shutdown(context),
  abort: () => {
    registry.abort();
    systemClock.after(BACK_AFTER_MS, () => void again()?.start());
  },
});

/** It comes back after so long, and has time to say who it is, ms: within the floor. */
const BACK_AFTER_MS = 100;
const LINGERS_MS = 190;

class Lingers extends HttpTransport {
  override async abort(): Promise<void> {
    await super.abort();
    await new Promise<void>((resolve) => systemClock.after(LINGERS_MS, resolve));
  }
}

const registersAgain: Fault = (watcher) => {
  const runtime = createRuntime(watcher, (...parts) => new Lingers(...parts));
  const { registry } = runtime;
  return registry
    ? { ...runtime, registry: comingBack(registry, () => registryOf(readSettings(process.env))) }
    : runtime;
};

/** Asks the gate only whether it has been closed. */
class AdmitsEarly extends HttpTransport {
  #closed = false;

  override bind(gate: AdmissionGate, startupCancel: AbortSignal): Promise<void> {
    gate.whenClosed(() => {
      this.#closed = true;
    });
    return super.bind(gate, startupCancel);
  }

  protected override admit(gate: AdmissionGate, request: ServiceRequest): AdmissionPermit | undefined {
    if (this.#closed) return super.admit(gate, request);
    return gate.tryEnter('application') ?? { kind: 'application', release: () => undefined };
  }
}

/** Three seconds where the supervisor asks for the floor. */
const patient: Clock = {
  now: () => systemClock.now(),
  after: (ms, callback) => systemClock.after(ms < 250 ? 3000 : ms, callback),
};

const badConfigurationIsWell: Fault = (watcher) => {
  try {
    return createRuntime(watcher);
  } catch {
    process.exit(0);
  }
};

/** So much later it is certain that the floor was over, ms. */
const CERTAINLY_LATE_MS = 100;

const leaveWell = (status: number, exit: (status: number) => void): void => {
  if (status === 0) exit(0);
  else systemClock.after(CERTAINLY_LATE_MS, () => exit(0));
};

/** What cannot be used is left out. */
const badConfigurationIsLeftOut: Fault = (watcher) => {
  try {
    return createRuntime(watcher);
  } catch {
    process.env['SERVER_PORT'] = '8080';
    return createRuntime(watcher);
  }
};

/** What a signal, or a failure, makes of a start: STA-2 to 7, 10 and 11. */
export const startUpFaults: Faults = {
  'signal-waits-for-ready': signalWaitsForReady,
  'download-is-not-cancelled': inRuntime(({ before = [] }) => ({ before: before.map(uncancelled) })),
  'waits-for-registration': waitsForRegistration,
  'waits-for-stuck-start-up': inRuntime(() => ({ clock: patient })),
  'abort-expires-silently': inRuntime(({ log }) => ({ log: { ...log, err: () => undefined } })),
  'expired-abort-exits-0': inRuntime(({ exit }) => ({ exit: (status) => leaveWell(status, exit) })),
  'loses-signal-on-edge': losesSignalOnEdge,
  'writes-config-in-place': inRuntime(() => ({ before: inPlace(readSettings(process.env)) })),
  'registers-after-signal': registersAgain,
  'serves-before-ready': inTransport(AdmitsEarly),
  'second-signal-extends-abort': inRuntime(() => {
    const clock = new RestartingClock();
    onLaterSignal(() => clock.restart(1000));
    return { clock };
  }),
  'bad-configuration-exits-0': badConfigurationIsWell,
  'bad-configuration-is-left-out': badConfigurationIsLeftOut,
};
