import type { Discovery, FoundPort } from '../model/discovery.ts';

const SECOND = 1000;

/** One line of what a look found: `8080 http, 5432 tcp; nginx; in 0.8 s`. */
export function discoveryInWords({ ports, server, processes, ended, gaps, tookMs }: Discovery): string {
  const took = `in ${(tookMs / SECOND).toFixed(1)} s`;
  if (ended !== undefined) {
    const last = ended.lastLines.at(-1);
    const status = ended.exitCode === undefined ? '' : ` with exit code ${ended.exitCode}`;
    return `it ended by itself${status} ${took}${last === undefined ? ', and wrote nothing' : `; it last wrote: ${last}`}`;
  }
  const [first] = processes;
  const runs = server ?? first?.args[0] ?? first?.comm;
  const listed = ports.length === 0 ? 'found no port' : `found ${ports.map(portInWords).join(', ')}`;
  return [listed, ...(runs === undefined ? [] : [runs]), ...gaps, took].join('; ');
}

function portInWords({ port, speaks, http2, listening, webSockets = [] }: FoundPort): string {
  if (speaks === undefined) {
    const why = { not: 'not listened on', loopback: 'on loopback only', reachable: 'not asked' }[listening];
    return `${port} (${why})`;
  }
  const also = [...(http2 && speaks === 'https' ? ['HTTP/2'] : []), ...(webSockets.length > 0 ? ['WebSocket'] : [])];
  return `${port} ${speaks}${also.length === 0 ? '' : ` (${also.join(', ')})`}`;
}
