import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../model/network.ts';
import type { Access } from '../wire/connection.ts';
import { relayOverPort } from '../wire/relay.ts';
import { processGuard, statReader } from './admission-probe-life.ts';
import { ProbeLoop } from './admission-probe-loop.ts';
import type { FromThread, ProbeJob, ToThread } from './admission-probe-messages.ts';

const LAST_WORDS_MS = 500;

/** The thread of the admission probe: an event loop that carries nothing else is not late at the worst moment. */
function run(job: ProbeJob): void {
  const now = (): number => Number(process.hrtime.bigint() - job.base);
  const emit = (message: FromThread): void => {
    parentPort?.postMessage(message);
    if (message.type !== 'over') return;
    parentPort?.close();
    setTimeout(() => process.exit(), LAST_WORDS_MS).unref(); // connections say their goodbye, but need no answer
  };
  const place = placeOf(job);
  if ('failure' in place) {
    emit({ type: 'failed', at: now(), message: 'PID 1 is not there', tried: [place.failure] });
    parentPort?.close();
    return;
  }
  const { alive, lost } = place;
  const loop = new ProbeLoop({ ...job, access: place.access }, { now, alive, emit });
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'ask') loop.ask(message.id, message.requests);
    else if (message.type === 'ended') loop.ended();
    else loop.stop();
  });
  void lost?.then(() => loop.lost());
  if (!alive()) loop.ended();
  void loop.start();
}

interface Place {
  readonly access: Access;
  readonly alive: () => boolean;
  /** Resolves when there is no way in any more. */
  readonly lost?: Promise<void>;
}

/** The way in, and whether PID 1 lives: by a look at it, or by what the relay was told before any later answer. */
function placeOf({ access, through }: ProbeJob): Place | { readonly failure: string } {
  if ('relay' in through) {
    const relay = relayOverPort(through.relay);
    const { unwatched } = relay.hello;
    if (unwatched !== '') {
      relay.close();
      return { failure: `the sidecar does not watch it: ${unwatched}` };
    }
    return { access: { ...access, dial: relay.dial }, alive: () => relay.gone === undefined, lost: relay.closed };
  }
  const stat = openStat(through.pid);
  return typeof stat === 'string' ? { failure: stat } : { access, alive: processGuard(stat) };
}

function openStat(pid: number): ReturnType<typeof statReader> | string {
  try {
    return statReader(pid);
  } catch (error) {
    return reasonOf(error);
  }
}

run(workerData as ProbeJob);
