import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../model/network.ts';
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
  const stat = openStat(job.pid);
  if (typeof stat === 'string') {
    emit({ type: 'failed', at: now(), message: 'PID 1 is not there', tried: [stat] });
    parentPort?.close();
    return;
  }
  const alive = processGuard(stat);
  const loop = new ProbeLoop(job, { now, alive, emit });
  parentPort?.on('message', (message: ToThread) => {
    if (message.type === 'ask') loop.ask(message.id, message.requests);
    else if (message.type === 'ended') loop.ended();
    else loop.stop();
  });
  if (!alive()) loop.ended();
  void loop.start();
}

function openStat(pid: number): ReturnType<typeof statReader> | string {
  try {
    return statReader(pid);
  } catch (error) {
    return reasonOf(error);
  }
}

run(workerData as ProbeJob);
