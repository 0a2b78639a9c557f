import type { TermOverride } from '../contract/terms.ts';
import type { StateProbe, Target } from '../model/target.ts';
import { serverByName } from '../profile/known-servers/index.ts';

/** What the log of a known server says after an unclean stop, weaker than anything that is declared (RST-2). */
export function recoveryTerms(server: string | undefined): readonly TermOverride[] {
  const lines = serverOf(server)?.recoveryLines ?? [];
  if (lines.length === 0) return [];
  const recovery = lines.map((line) => `(?:${line})`).join('|');
  return [{ origin: `discovery: known server ${server}`, terms: { patterns: { recovery } } }];
}

/** How a known server is made to keep something, over the port that it is asked for readiness, or else its first bare one. */
export function stateProbe(
  server: string | undefined,
  { ready, tcpPorts }: Pick<Target, 'ready' | 'tcpPorts'>,
): StateProbe | undefined {
  const state = serverOf(server)?.state;
  const port = ready.kind === 'tcp' ? ready.port : tcpPorts?.[0];
  return state === undefined || port === undefined ? undefined : { port, ...state };
}

function serverOf(name: string | undefined): ReturnType<typeof serverByName> {
  return name === undefined ? undefined : serverByName(name);
}
