import type { FoundPort } from '../model/discovery.ts';
import type { Access } from '../wire/connection.ts';
import type { Dial } from '../wire/dial.ts';
import { within } from '../wire/within.ts';
import { NO_SUCH_PATH, routesOf } from './http-routes.ts';
import type { Tried } from './speech-tries.ts';
import { tryBanner, tryHttp, tryHttp2, tryTls } from './speech-tries.ts';

/** What one port was found to speak. */
export interface Spoken extends Pick<FoundPort, 'speaks' | 'http2' | 'answers' | 'webSockets' | 'greets' | 'told'> {
  /** It took a connection and said nothing within the limits: it may not be up yet. */
  readonly silent?: true;
  /** It answers that it cannot serve: it may not be up yet. */
  readonly unwell?: true;
}

/** How long is waited, ms. */
export interface SpeechLimits {
  /** For the answer to the first request, until other protocols are tried beside it. */
  readonly patienceMs: number;
  /** For an answer, in each of them. */
  readonly answerMs: number;
  /** For what the other side says first. */
  readonly bannerMs: number;
}

const LIMITS: SpeechLimits = { patienceMs: 250, answerMs: 900, bannerMs: 500 };

/** `Plain HTTP request was sent to HTTPS port`, or a way to the port with TLS: what TLS itself says goes before it. */
const maybeTls = (status: number): boolean => status === 400 || (status >= 300 && status < 400);
/** What a server of HTTP/2 alone says to HTTP/1.1, where it says something. */
const maybeHttp2 = (status: number): boolean => status === 400 || status === 426 || status === 505;
const mayBeOther = (status: number): boolean => maybeTls(status) || maybeHttp2(status);

/**
 * Find out what a port speaks, told only by what it answers: `GET /` over HTTP/1.1; where that is not answered, or with what a
 * TLS port says too, a TLS ClientHello, HTTP/2 by prior knowledge, and silence, side by side. Costs a silent port
 * `patienceMs` and `answerMs`. Sends GET and nothing else, and closes every connection. Throws HarnessError where this host
 * cannot connect at all.
 */
export async function speechOf(
  way: { readonly address: string; readonly dial?: Dial },
  port: number,
  limits: SpeechLimits = LIMITS,
): Promise<Spoken> {
  const { answerMs } = limits;
  const clear: Access = { ...way, port, over: 'http' };
  const decided = new AbortController();
  const limit = { limitMs: answerMs, stop: decided.signal };
  const asking = tryHttp(clear, '/', limit);
  const early = await within(asking, limits.patienceMs);
  if (early?.kind === 'refused') return { told: `refuses connections from outside: ${early.why}` };
  if (early?.kind === 'answered' && !mayBeOther(early.status)) return await spokenHttp(clear, early.status, answerMs);
  const stopIf = async <T>(trying: Promise<T>, isIt: (tried: T) => boolean): Promise<T> => {
    const tried = await trying;
    if (isIt(tried)) decided.abort();
    return tried;
  };
  const answers = (tried: Tried | undefined): boolean => tried?.kind === 'answered' && !mayBeOther(tried.status);
  const [first, second, tls, http2, banner] = await Promise.all([
    stopIf(asking, answers),
    // a page may take its time, what is not there is soon said
    early === undefined ? stopIf(tryHttp(clear, NO_SUCH_PATH, limit), answers) : undefined,
    stopIf(tryTls(clear, limit), ({ kind }) => kind === 'stands'),
    stopIf(tryHttp2(clear, limit), speaksHttp2),
    early?.kind === 'answered' ? undefined : tryBanner(clear, { ...limit, limitMs: limits.bannerMs }),
  ]);
  const plain = [first, second].find((tried) => tried?.kind === 'answered');
  const status = plain?.kind === 'answered' ? plain.status : undefined;
  if (tls.kind === 'stands' && (status === undefined || maybeTls(status))) {
    return await spokenTls({ ...clear, over: 'https', tls: { port } }, tls.http2, answerMs);
  }
  if (speaksHttp2(http2) && (status === undefined || maybeHttp2(status))) {
    return { speaks: 'h2c', told: `speaks HTTP/2 by prior knowledge${answerTo(http2)}, and no HTTP/1.1` };
  }
  if (status !== undefined) return await spokenHttp(clear, status, answerMs);
  if (tls.kind === 'alert') return { speaks: 'tls', told: `answered a TLS ClientHello with an alert (${tls.code})` };
  return bare(first, banner);
}

async function spokenHttp(access: Access, status: number, limitMs: number): Promise<Spoken> {
  const routes = await routesOf(access, limitMs);
  const { '/': whole = status } = routes.answers;
  return {
    speaks: 'http',
    told: `answered GET / with ${whole}${inWords(routes)}`,
    ...shownOf(routes),
    ...wellOf(whole),
  };
}

async function spokenTls(access: Access, http2: boolean, limitMs: number): Promise<Spoken> {
  const alpn = http2 ? { http2 } : {};
  const inside = await tryHttp(access, '/', { limitMs });
  if (inside.kind === 'answered') {
    const routes = await routesOf(access, limitMs);
    const { '/': whole = inside.status } = routes.answers;
    const told = `TLS; answered GET / in it with ${whole}${inWords(routes)}${http2 ? '; ALPN chose h2' : ''}`;
    return { speaks: 'https', ...alpn, told, ...shownOf(routes), ...wellOf(whole) };
  }
  const over = http2 ? await tryHttp2(access, { limitMs }) : undefined;
  if (over !== undefined && speaksHttp2(over)) {
    return { speaks: 'https', http2: true, told: `TLS; ALPN chose h2${answerTo(over)}, and no HTTP/1.1 in it` };
  }
  return { speaks: 'tls', ...alpn, told: 'TLS; a request in it was not answered' };
}

function bare(asked: Tried, banner: Tried | undefined): Spoken {
  if (banner?.kind === 'other') return { speaks: 'tcp', greets: true, told: `sent ${quoted(banner.bytes)} first` };
  if (asked.kind === 'other') return { speaks: 'tcp', told: `answered GET / with ${quoted(asked.bytes)}` };
  if (asked.kind === 'closed') {
    return { speaks: 'tcp', told: `${asked.by === 'FIN' ? 'closed' : 'reset'} the connection at GET /` };
  }
  if (asked.kind === 'refused') return { told: `refuses connections from outside: ${asked.why}` };
  return { speaks: 'tcp', told: 'took a connection and answered nothing', silent: true };
}

const speaksHttp2 = ({ kind }: Tried): boolean => kind === 'answered' || kind === 'other';

const answerTo = (tried: Tried): string => (tried.kind === 'answered' ? `, answered GET / with ${tried.status}` : '');

const wellOf = (status: number): Pick<Spoken, 'unwell'> => (status >= 500 ? { unwell: true } : {});

function shownOf({
  answers,
  webSockets,
}: Awaited<ReturnType<typeof routesOf>>): Pick<Spoken, 'answers' | 'webSockets'> {
  return { answers, ...(webSockets.length === 0 ? {} : { webSockets }) };
}

function inWords({ answers, answersAnything, webSockets }: Awaited<ReturnType<typeof routesOf>>): string {
  return [
    answers['/'] === undefined ? ', which was not whole in time' : '',
    answersAnything ? ', as any other path' : '',
    webSockets.length === 0 ? '' : `; took a WebSocket on ${webSockets.join(', ')}`,
  ].join('');
}

const quoted = (bytes: string): string => JSON.stringify(bytes.replace(/[\r\n]+$/, ''));
