import { connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { hostInUrl } from '../model/network.ts';
import { AnswerReader } from '../wire/answer-reader.ts';
import type { Access } from '../wire/connection.ts';
import { openConnection, requestHead, tlsOptions } from '../wire/connection.ts';
import { dialDirectly } from '../wire/dial.ts';
import { dialTls } from '../wire/dial-tls.ts';

/** What came of one try of a protocol: as it was hoped for, something else, or nothing at all. */
export type Tried =
  | { readonly kind: 'answered'; readonly status: number }
  /** Bytes that are not of the protocol, as text. */
  | { readonly kind: 'other'; readonly bytes: string }
  | { readonly kind: 'closed'; readonly by: 'FIN' | 'RST' }
  | { readonly kind: 'silent' }
  /** There was no connection. */
  | { readonly kind: 'refused'; readonly why: string };

/** A TLS handshake. */
export type TriedTls =
  /** `stands` with what ALPN chose, `alert` where the other side refused in the words of TLS. */
  | { readonly kind: 'stands'; readonly http2: boolean }
  | { readonly kind: 'alert'; readonly code: string }
  | { readonly kind: 'none' };

/** How long a try may take, and what ends it before: it is as silent then as where its time is over. */
export interface TryLimit {
  readonly limitMs: number;
  readonly stop?: AbortSignal;
}

/** Longer than the retransmit of a lost SYN, which a bridge may drop for a port that it has just got. */
const CONNECT_LIMIT_MS = 3000;
/** Of what came instead, so much is shown. */
const SHOWN_BYTES = 60;
/** OpenSSL's names of alerts that the other side sent; what is no TLS at all has other ones. */
const ALERT = /^ERR_SSL_(TLSV1|TLSV13|SSLV3)_ALERT_|UNRECOGNIZED_NAME|CERTIFICATE_REQUIRED|NO_APPLICATION_PROTOCOL/;

/** Calls `over` when the time is over or the try is stopped; the function given calls that off. */
function onceOver({ limitMs, stop }: TryLimit, over: () => void): () => void {
  const timer = setTimeout(over, limitMs);
  stop?.addEventListener('abort', over, { once: true });
  if (stop?.aborted) over();
  return () => {
    clearTimeout(timer);
    stop?.removeEventListener('abort', over);
  };
}

const monotonicNow = (): number => Number(process.hrtime.bigint());

/** `GET path` over HTTP/1.1. Any complete head of an answer counts. The connection is closed by us. */
export async function tryHttp(access: Access, path: string, limit: TryLimit): Promise<Tried> {
  const opened = await openConnection(access, { limitMs: CONNECT_LIMIT_MS, now: monotonicNow });
  if (opened.socket === undefined) return refusedOr(opened);
  const { socket } = opened;
  const reader = new AnswerReader(monotonicNow);
  const came: Buffer[] = [];
  const head = requestHead(access, 'GET', path, { accept: '*/*', 'user-agent': 'lf-qualify', connection: 'close' });
  return await exchange(socket, limit, {
    send: head,
    take: (chunk) => {
      if (Buffer.concat(came).length < SHOWN_BYTES) came.push(chunk);
      reader.push(chunk);
      if (reader.answer !== undefined) return { kind: 'answered', status: reader.answer.status };
      return reader.problem === undefined ? undefined : { kind: 'other', bytes: shown(came) };
    },
    over: (by) => (came.length > 0 ? { kind: 'other', bytes: shown(came) } : { kind: 'closed', by }),
  });
}

/** Connects and says nothing: `other` with what the other side says first. */
export async function tryBanner(access: Access, limit: TryLimit): Promise<Tried> {
  const opened = await openConnection(access, { limitMs: CONNECT_LIMIT_MS, now: monotonicNow });
  if (opened.socket === undefined) return refusedOr(opened);
  return await exchange(opened.socket, limit, {
    take: (chunk) => ({ kind: 'other', bytes: shown([chunk]) }),
    over: (by) => ({ kind: 'closed', by }),
  });
}

/** A ClientHello that offers HTTP/2 and HTTP/1.1; its certificate is not verified. */
export async function tryTls(access: Access, limit: TryLimit): Promise<TriedTls> {
  const { socket } = openTls(access, ['h2', 'http/1.1']);
  try {
    return await new Promise<TriedTls>((resolve) => {
      const callOff = onceOver(limit, () => resolve({ kind: 'none' }));
      const tell = (tried: TriedTls): void => {
        callOff();
        resolve(tried);
      };
      socket.once('close', () => tell({ kind: 'none' }));
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
        tell(ALERT.test(code) ? { kind: 'alert', code } : { kind: 'none' });
      });
      socket.once('secureConnect', () => tell({ kind: 'stands', http2: socket.alpnProtocol === 'h2' }));
    });
  } finally {
    socket.destroy();
  }
}

/**
 * HTTP/2: by prior knowledge in the clear, after ALPN in TLS. `other` where it is spoken and `GET /` is not answered in time;
 * everything else is `closed` or `silent`.
 */
export async function tryHttp2(access: Access, limit: TryLimit): Promise<Tried> {
  const socket = access.tls === undefined ? dialClear(access) : openTls(access, ['h2']).socket;
  const scheme = access.tls === undefined ? 'http' : 'https';
  const session = connectHttp2(`${scheme}://${hostInUrl(access.address)}:${access.port}`, {
    createConnection: () => socket,
  });
  let spoken = false;
  try {
    return await new Promise<Tried>((resolve) => {
      const tell = (tried: Tried): void => {
        callOff();
        resolve(tried);
      };
      const none = (tried: Tried): void => tell(spoken ? { kind: 'other', bytes: '' } : tried);
      const closed = (): void => none({ kind: 'closed', by: 'FIN' });
      const callOff = onceOver(limit, () => none({ kind: 'silent' }));
      session.on('error', closed);
      session.once('close', closed);
      session.once('remoteSettings', () => {
        spoken = true;
        const request = session.request({ ':method': 'GET', ':path': '/' });
        request.on('error', closed);
        request.once('response', (headers) => tell({ kind: 'answered', status: Number(headers[':status']) }));
      });
    });
  } finally {
    session.destroy();
    socket.destroy();
  }
}

/** Sends, and gives what the first bytes that tell something say. Destroys the socket. */
async function exchange(
  socket: Socket,
  limit: TryLimit,
  told: {
    readonly send?: string;
    readonly take: (chunk: Buffer) => Tried | undefined;
    readonly over: (by: 'FIN' | 'RST') => Tried;
  },
): Promise<Tried> {
  try {
    return await new Promise<Tried>((resolve) => {
      const callOff = onceOver(limit, () => resolve({ kind: 'silent' }));
      const tell = (tried: Tried | undefined): void => {
        if (tried === undefined) return;
        callOff();
        resolve(tried);
      };
      socket.on('data', (chunk: Buffer) => tell(told.take(chunk)));
      socket.once('error', () => tell(told.over('RST')));
      socket.once('end', () => tell(told.over('FIN')));
      socket.once('close', () => tell(told.over('FIN')));
      if (told.send !== undefined) socket.write(told.send);
    });
  } finally {
    socket.destroy();
  }
}

function refusedOr({ outcome, message }: { readonly outcome: string; readonly message: string }): Tried {
  return outcome === 'hung' ? { kind: 'silent' } : { kind: 'refused', why: message };
}

function dialClear({ address: host, port, dial = dialDirectly }: Access): Socket {
  const socket = dial({ host, port, noDelay: true });
  socket.on('error', () => undefined); // told by whoever uses it; it may fail again while it goes
  return socket;
}

/** A TLS connection of an access, offering these. */
export function openTls(access: Access, offered: readonly string[]): { readonly socket: TLSSocket } {
  const { address: host, port, dial = dialDirectly } = access;
  const options = { ...tlsOptions({ ...access, tls: access.tls ?? { port } }), ALPNProtocols: [...offered] };
  const { socket, dialled } = dialTls(dial, { host, port, noDelay: true }, options);
  for (const one of [socket, dialled]) one.on('error', () => undefined); // as above
  return { socket };
}

function shown(came: readonly Buffer[]): string {
  return Buffer.concat(came).toString('latin1', 0, SHOWN_BYTES);
}
