import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { BootstrapBehaviour } from '../model/scenario.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { ConfigAnswer } from './config-files.ts';
import { playedConfig } from './config-files.ts';
import type { Hold, Holder } from './hold.ts';
import { createHolder } from './hold.ts';
import type { ListenThere } from './listen-when-there.ts';
import { openPlayedServer } from './played-server.ts';

/** Paths of the service are stored this far, in characters; its query may hold anything and is not stored. */
const KEPT_PATH = 200;

/** The config server that the harness plays for one run (light-fabric.md, remote bootstrap). It holds its answers. */
export interface ConfigServer extends Hold {
  /** What the service is told: `http://address:port`. */
  readonly url: string;
  /** What a service that got all of it has in its cache, by file name. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Ends the server and all its connections. Never throws, and leaves nothing behind that keeps the process alive. */
  close(): Promise<void>;
}

/** Listen where `listen` says. Records `bootstrap.listening`, and all that is asked and answered from then on. */
export async function playConfigServer(options: {
  readonly listen: ListenThere;
  readonly behaviour: BootstrapBehaviour['kind'];
  readonly recorder: Recorder;
}): Promise<ConfigServer> {
  const { listen, behaviour, recorder } = options;
  const { answers, files } = playedConfig();
  const holder = createHolder(behaviour === 'holds' || behaviour === 'holds-half');
  const ends = new Set<Promise<void>>();
  let closing = false;
  let requests = 0;

  const server = createServer((request, response) => {
    const t = recorder.now();
    requests += 1;
    const path = pathOf(request);
    recorder.record({ kind: 'bootstrap.received', t, request: requests, path });
    const exchange = { request: requests, path, response, recorder };
    ends.add(watchEnd(request, exchange, () => closing));
    const answer = request.method === 'GET' ? answers.get(path) : undefined;
    if (answer === undefined) void send({ ...exchange, status: 404 });
    else serve({ ...exchange, answer }, behaviour, holder);
  });
  // nobody is hurried here: what a service makes of a slow peer is the question
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 });

  const begin = recorder.now();
  const { url, close } = await openPlayedServer(server, listen, (error) => {
    recorder.record({ kind: 'fault', where: 'harness', message: `played config server: ${error.message}` });
  });
  recorder.record({ kind: 'bootstrap.listening', begin, url, behaviour });
  return {
    url,
    files,
    asked: holder.asked,
    release: holder.release,
    close: async () => {
      closing = true;
      await close(ends);
    },
  };
}

/** One request and what is needed to answer it. */
interface Exchange {
  readonly request: number;
  readonly path: string;
  readonly response: ServerResponse;
  readonly recorder: Recorder;
}

function serve(
  exchange: Exchange & { readonly answer: ConfigAnswer },
  behaviour: BootstrapBehaviour['kind'],
  holder: Holder,
): void {
  const { answer } = exchange;
  if (behaviour === 'fails') {
    void send({ ...exchange, status: 500 });
    holder.ask();
  } else if (behaviour === 'holds-half' && holder.holds) {
    const half = sendHalf(exchange);
    void half.then((sent) => sent && holder.ask());
    holder.answer(async () => (await half) && (await send({ ...exchange, status: 200, ...answer })));
  } else {
    holder.answer(async () => await send({ ...exchange, status: 200, ...answer }));
    holder.ask();
  }
}

/** The head, with the length of all of it, and half of the body. Whether they are with the kernel. */
async function sendHalf({ answer, response, ...exchange }: Exchange & { readonly answer: ConfigAnswer }) {
  const { recorder, request, path } = exchange;
  const bytes = Math.floor(answer.body.length / 2);
  const begin = recorder.now();
  response.writeHead(200, { 'content-type': answer.type, 'content-length': answer.body.length });
  return await new Promise<boolean>((resolve) => {
    response.once('close', () => resolve(false));
    response.write(answer.body.subarray(0, bytes), (error) => {
      if (!error)
        recorder.record({ kind: 'bootstrap.answered', begin, request, path, status: 200, bytes, whole: false });
      resolve(!error);
    });
  });
}

/** The answer, or what of it is not sent yet. Whether it is with the kernel: an answer that never left is none. */
async function send({
  response,
  status,
  type,
  body = Buffer.alloc(0),
  ...exchange
}: Exchange & { readonly status: number } & Partial<ConfigAnswer>): Promise<boolean> {
  if (response.destroyed) return false;
  const { recorder, request, path } = exchange;
  const begin = recorder.now();
  const rest = response.headersSent ? body.subarray(Math.floor(body.length / 2)) : body;
  if (!response.headersSent)
    response.writeHead(status, { 'content-length': body.length, ...(type && { 'content-type': type }) });
  return await new Promise((resolve) => {
    response.once('close', () => resolve(false));
    response.once('finish', () => {
      recorder.record({ kind: 'bootstrap.answered', begin, request, path, status, bytes: body.length, whole: true });
      resolve(true);
    });
    response.end(rest);
  });
}

/** Resolves when the exchange is over, and records where its connection ended before its answer was whole. */
async function watchEnd({ socket }: IncomingMessage, exchange: Exchange, closing: () => boolean): Promise<void> {
  const { request, path, response, recorder } = exchange;
  let reset = false;
  const failed = (error: NodeJS.ErrnoException): void => {
    reset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
  };
  socket.on('error', failed);
  await new Promise<void>((resolve) => response.once('close', resolve));
  socket.off('error', failed);
  if (response.writableFinished || closing()) return;
  recorder.record({ kind: 'bootstrap.abandoned', request, path, by: reset ? 'RST' : 'FIN' });
}

function pathOf({ url = '' }: IncomingMessage): string {
  const path = url.replace(/\?.*$/s, '');
  return path.length <= KEPT_PATH ? path : `${path.slice(0, KEPT_PATH)}…`;
}
