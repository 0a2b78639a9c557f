import type { Endpoint, Endpoints } from '../model/target.ts';

/** An endpoint with the milliseconds that its answer shall take in place. */
export function timed({ method, path }: Endpoint, ms: string): Endpoint {
  return { method, path: path.replaceAll('{ms}', ms) };
}

/** What takes a body: the declared endpoints, answering at once where that can be asked, then POST and PUT on /. */
export function bodyEndpoints({ slow, upload }: Endpoints): readonly Endpoint[] {
  const declared = [...upload, ...slow].filter(({ method }) => method !== 'GET' && method !== 'HEAD');
  return [
    ...declared.map((endpoint) => timed(endpoint, '0')),
    { method: 'POST', path: '/' },
    { method: 'PUT', path: '/' },
  ];
}
