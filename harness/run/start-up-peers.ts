import type { ConfigServer } from '../inject/config-server.ts';
import type { Controller } from '../inject/controller.ts';
import type { Hold } from '../inject/hold.ts';
import type { StartUpPeer } from '../model/start-up-observation.ts';
import type { Target } from '../model/target.ts';
import type { EarlyProbe } from '../observe/early-probe.ts';
import { startEarlyProbe } from '../observe/early-probe.ts';
import { probedRoute } from './probed-route.ts';
import type { ReadinessContext } from './reach-ready.ts';
import { missing, vantageOf } from './reach-ready.ts';
import { accessOf } from './start-load.ts';
import type { Readying } from './start-up.ts';
import { withEvidence } from './start-up.ts';

/** What the harness plays for the service of a cell. */
export interface PlayedPeers {
  readonly controller?: Controller;
  readonly configServer?: ConfigServer;
}

type PeersContext = ReadinessContext & PlayedPeers;

/** An answer of half a config fits into the buffers of the kernel; one that does not is not waited for longer. */
const RELEASE_LIMIT_MS = 5000;

const DECLARED: Readonly<Record<StartUpPeer, { capability: 'bootstrap' | 'registry'; peer: string; declare: string }>> =
  {
    bootstrap: {
      capability: 'bootstrap',
      peer: 'config server',
      declare: 'bootstrap: { urlEnv: NAME, env: { … } }   # what makes it start from it',
    },
    registration: {
      capability: 'registry',
      peer: 'controller',
      declare: 'registry: { urlEnv: NAME, env: { … } }   # what makes it register',
    },
  };

function holdOf({ controller, configServer }: PlayedPeers, peer: StartUpPeer): (Hold & { url: string }) | undefined {
  return peer === 'bootstrap' ? configServer : controller;
}

/** Wait until the service has registered with the played controller, where one is played; false, and recorded, if it does not. */
export async function reachRegistered(context: PeersContext, limitMs: number): Promise<boolean> {
  const { controller } = context;
  if (controller === undefined || (await controller.registered(limitMs))) return true;
  const reason = `the service did not register with the played controller at ${controller.url} within ${limitMs} ms`;
  return missing(context, 'registry', reason, DECLARED.registration.declare);
}

/**
 * Wait until the service has asked a played peer, at most so long, and record that its start-up is pending there, with what
 * must be known before a signal into it. False, with the reason on record, where it is ready or ends before, or never asks.
 */
export async function awaitPending(
  context: PeersContext,
  readying: Readying,
  { peer, limitMs }: { readonly peer: StartUpPeer; readonly limitMs: number },
): Promise<boolean> {
  const { recorder, life } = context;
  const { capability, peer: name, declare } = DECLARED[peer];
  const hold = holdOf(context, peer);
  if (hold === undefined) return missing(context, capability, `no ${name} is played`, declare);
  recorder.record({ kind: 'wait', describe: `the service asks the played ${name}, within ${limitMs} ms` });
  const begin = recorder.now();
  return await withEvidence(context, async () => {
    const first = await Promise.race([
      hold.asked.then(() => 'asked' as const),
      readying.reached.then((ready) => (ready ? 'it was ready before' : 'it did not become ready')),
      life.endedWithin(limitMs).then((ended) => (ended ? 'it ended before' : `it did not within ${limitMs} ms`)),
    ]);
    if (first === 'asked' && !recorder.observations.some(({ kind }) => kind === 'ready')) {
      recorder.record({ kind: 'start.pending', begin, peer });
      return true;
    }
    const why = first === 'asked' ? 'it was ready before' : first;
    const reason = `the service did not ask the played ${name} at ${hold.url} while it started: ${why}`;
    return missing(context, capability, reason, declare);
  });
}

/** Answer what a played peer holds; on record once the answer is with the kernel, where there was anyone to answer. */
export async function releasePeer(context: PeersContext, peer: StartUpPeer): Promise<void> {
  const { recorder, life } = context;
  const hold = holdOf(context, peer);
  if (hold === undefined) return;
  const begin = recorder.now();
  const late = life.endedWithin(RELEASE_LIMIT_MS).then(() => false);
  if (await Promise.race([hold.release(), late])) recorder.record({ kind: 'start.released', begin, peer });
}

/** Ask an application route from here on, from the vantage point of the later probes; where it cannot be, that is recorded. */
export function probeEarly(context: ReadinessContext & { target: Target }, everyMs: number): EarlyProbe | undefined {
  const { recorder, life, target, vantage } = context;
  const { address, dial } = vantage;
  if (address === undefined) {
    const declare = 'an engine on which the helper can run beside the container';
    missing(context, 'direct', `the container cannot be reached (${vantageOf(context)})`, declare);
    return undefined;
  }
  const way = accessOf('any', target, { address, ...(dial && { dial }) });
  if ('missing' in way) {
    recorder.record({ kind: 'capability.missing', ...way.missing });
    return undefined;
  }
  const request = probedRoute(target);
  return startEarlyProbe({ access: way.access, request, everyMs, recorder, ended: life.ended });
}
