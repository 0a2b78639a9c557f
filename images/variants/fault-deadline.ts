import { ServerResponse } from 'node:http';
import { systemClock } from '../reference/clock.ts';
import type { Handler } from '../reference/exchange.ts';
import { HttpTransport } from '../reference/http-transport.ts';
import type { Runtime } from '../reference/run-until-shutdown.ts';
import { createRuntime } from '../reference/runtime.ts';
import { ShutdownContext } from '../reference/shutdown-context.ts';
import type { ShutdownWatcher } from '../reference/signal-watcher.ts';
import type { Faults } from './fault.ts';
import { inRuntime, inTransport, pause } from './fault.ts';

const EARLY_MS = 300;

class CutsEarly extends HttpTransport {
  override async stop(context: ShutdownContext): Promise<'drained' | 'cut'> {
    const early = new ShutdownContext(context.reason, Math.max(0, context.remaining() - EARLY_MS), systemClock);
    context.cancellation.addEventListener('abort', () => early.collapse(), { once: true });
    const work = await super.stop(early);
    early.close();
    return work;
  }
}

class CutsLate extends HttpTransport {
  protected override cut(): void {
    // nothing is cut at the graceful deadline: the end of the process does it
  }
}

/** Ends connections in an orderly way whatever is missing, also answers that only their end would end. */
class CutsCleanly extends HttpTransport {
  protected override cut(): void {
    this.connections.drop();
  }
}

const unframed =
  (handler: Handler): Handler =>
  (request, response) => {
    if (response instanceof ServerResponse && request.url?.startsWith('/stream'))
      response.useChunkedEncodingByDefault = false;
    return handler(request, response);
  };

/** Clean-up outside the supervised sequence, before the exit. */
const cleaningUpAtExit = (
  watcher: ShutdownWatcher,
  bound: (cleanedUp: Promise<unknown>, context: ShutdownContext) => Promise<unknown>,
): Runtime => {
  const { cleanUp, ...runtime } = createRuntime(watcher);
  return {
    ...runtime,
    exit: (status) => {
      const fresh = new ShutdownContext('Programmatic', runtime.graceMs, systemClock);
      void bound(Promise.resolve(cleanUp?.run(fresh)), fresh).then(() => process.exit(status));
    },
  };
};

/** Keeps the process alive while nothing else does. */
const forEver = (): void => void setInterval(() => undefined, 60_000);

/** When work is cut and how the stop ends: DLN-1 to 7, CFG-3. */
export const deadlineFaults: Faults = {
  'cuts-early': inTransport(CutsEarly),
  'cuts-at-hard-deadline': inTransport(CutsLate),
  'expired-exits-0': inRuntime(() => ({ exit: () => process.exit(0) })),
  'expires-silently': inRuntime(({ log }) => ({
    log: { ...log, err: (line) => (line.includes('deadline exceeded') ? undefined : log.err(line)) },
  })),
  'expired-logged-graceful': inRuntime(({ log }) => ({
    log: { ...log, out: (line) => log.out(line.replace('outcome=deadline-exceeded', 'outcome=graceful')) },
  })),
  'grace-0-is-default': inRuntime(({ graceMs }) => ({ graceMs: graceMs === 0 ? 2000 : graceMs })),
  'clean-up-gets-fresh-grace': (watcher) =>
    cleaningUpAtExit(watcher, (cleanedUp, context) => Promise.race([cleanedUp, pause(context.remaining(), context)])),
  'waits-for-stuck-clean-up': (watcher) =>
    cleaningUpAtExit(watcher, (cleanedUp) => {
      forEver();
      return cleanedUp;
    }),
  // the process is left to end by itself, which it does when no thread runs any more
  'waits-for-stuck-thread': inRuntime(() => ({
    exit: (status) => {
      process.exitCode = status;
    },
  })),
  'cuts-without-a-trace': (watcher) =>
    createRuntime(watcher, (port, handler, options) => new CutsCleanly(port, unframed(handler), options)),
  'grace-in-whole-seconds': inRuntime(({ graceMs }) => ({ graceMs: Math.ceil(graceMs / 1000) * 1000 })),
};
