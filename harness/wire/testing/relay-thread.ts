import type { MessagePort } from 'node:worker_threads';
import { parentPort, workerData } from 'node:worker_threads';
import { relayOverPort } from '../relay.ts';

const {
  relay: way,
  host,
  port,
} = workerData as { readonly relay: MessagePort; readonly host: string; readonly port: number };
const relay = relayOverPort(way);

function talk(): Promise<readonly string[]> {
  const events: string[] = [];
  const socket = relay.dial({ host, port });
  for (const event of ['connect', 'end']) socket.on(event, () => events.push(event));
  socket.on('data', (chunk: Buffer) => events.push(`data ${chunk}`));
  socket.end('hello');
  return new Promise((resolve) => socket.once('close', (hadError) => resolve([...events, `close ${hadError}`])));
}

parentPort?.on('message', () => {
  const socket = relay.dial({ host, port });
  socket.once('connect', () => parentPort?.postMessage('connected'));
  socket.once('error', (error: NodeJS.ErrnoException) =>
    parentPort?.postMessage({ lost: `${error.code} ${error.message}` }),
  );
});
parentPort?.postMessage({ offset: await relay.ping(), events: await talk() });
