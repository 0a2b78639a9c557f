import type { ServerFact } from '../model/discovery.ts';
import type { KnownServer, ServerSignal } from '../profile/known-servers/index.ts';
import { serverByName } from '../profile/known-servers/index.ts';

/**
 * What the signal of the stop means to the known server of this name, and where that lets no work finish which other signal
 * does. Undefined for no name, and for one that is not in the table: a stored target may be older.
 */
export function serverFact(name: string | undefined, signal: string): ServerFact | undefined {
  const server = name === undefined ? undefined : serverByName(name);
  if (server === undefined) return undefined;
  const { title, documentation } = server;
  return {
    name: server.name,
    title,
    signal,
    says: [own(server, signal), ...better(server, signal)].join('; '),
    documentation,
  };
}

/** `nginx: SIGTERM is its fast shutdown …; SIGQUIT is … (nginx documentation: Controlling nginx)`. */
export function serverInWords({ title, says, documentation }: ServerFact): string {
  return `${title}: ${says} (${documentation})`;
}

function own({ signals }: KnownServer, signal: string): string {
  const fact = signals[signal as ServerSignal];
  return fact === undefined ? `its documentation gives SIG${signal} no meaning` : `SIG${signal} ${fact.says}`;
}

function better({ signals }: KnownServer, signal: string): readonly string[] {
  if (signals[signal as ServerSignal]?.meaning === 'graceful') return [];
  const [graceful] = Object.entries(signals).filter(([, { meaning }]) => meaning === 'graceful');
  return graceful === undefined ? [] : [`SIG${graceful[0]} ${graceful[1].says}`];
}
