import { describe, expect, it } from 'vitest';
import type { Endpoint, ReadySpec } from '../model/target.ts';
import type { AskedRequest } from './control-routes.ts';
import { askedRoutes } from './control-routes.ts';

const readyAt = (path: string, port = 8080): ReadySpec => ({ kind: 'http', port, path, origin: 'profile' });
const byLog: ReadySpec = { kind: 'log', pattern: 'up', origin: 'profile' };
const get = (path: string): Endpoint => ({ method: 'GET', path });

const words = (asked: readonly AskedRequest[]): string[] =>
  asked.map(({ purpose, method, path }) => `${purpose} ${method} ${path}`);

describe('what is asked while the gate is closed', () => {
  it('is readiness where it is asked over HTTP, on its own port, and /health and / as any other route', () => {
    expect(askedRoutes(readyAt('/ready', 9000), [])).toEqual([
      { purpose: 'readiness', method: 'GET', path: '/ready', at: { port: 9000, tls: false } },
      { purpose: 'near-miss', method: 'GET', path: '/health' },
      { purpose: 'near-miss', method: 'GET', path: '/' },
    ]);
    expect(words(askedRoutes(byLog, []))).toEqual(['near-miss GET /health', 'near-miss GET /']);
  });

  it('is a control route exactly, and each way of missing it', () => {
    expect(words(askedRoutes(byLog, [get('/live')]))).toEqual([
      'control GET /live',
      'near-miss GET /health',
      'near-miss GET /',
      'near-miss POST /live',
      'near-miss GET /live/x',
      'near-miss GET /livex',
      'near-miss GET /live/',
      'near-miss GET /LIVE',
      'near-miss GET //live',
      'near-miss GET /liv%65',
    ]);
  });

  it('is a liveness route exactly, and never a near miss of anything', () => {
    expect(words(askedRoutes(byLog, [], [get('/livez?full')]))).toEqual([
      'liveness GET /livez',
      'near-miss GET /health',
      'near-miss GET /',
    ]);
    const both = words(askedRoutes(readyAt('/health'), [get('/live')], [get('/health'), get('/live'), get('/livex')]));
    expect(both).toContain('readiness GET /health');
    expect(both.filter((line) => line.startsWith('near-miss') && / \/(health|livex?)$/.test(line))).toEqual([
      'near-miss POST /live',
    ]);
  });

  it('is never a declared route as a near miss of another', () => {
    const control = [get('/live'), { method: 'POST', path: '/live' }, get('/live/x'), get('/health'), get('/livex')];
    const asked = words(askedRoutes(readyAt('/live/'), control));
    const exact = asked.filter((one) => !one.startsWith('near-miss'));
    expect(exact).toHaveLength(6);
    const misses = asked.flatMap((one) => (one.startsWith('near-miss') ? [one.replace('near-miss ', '')] : []));
    expect(misses.length).toBeGreaterThan(3);
    for (const { method, path } of [...control, get('/live/')]) expect(misses).not.toContain(`${method} ${path}`);
  });

  it('takes the routes in turn, nine misses at most', () => {
    const asked = words(
      askedRoutes(
        byLog,
        Array.from({ length: 12 }, (_, n) => get(`/r${'abcdefghijkl'[n]}`)),
      ),
    );
    const misses = asked.filter((one) => one.startsWith('near-miss'));
    expect(misses).toHaveLength(9);
    expect(misses[2]).toBe('near-miss POST /ra');
    expect(misses[3]).toBe('near-miss GET /rb/x');
  });

  it('asks a readiness route that is also declared as both', () => {
    expect(words(askedRoutes(readyAt('/live'), [get('/live')])).filter((one) => / GET \/live$/.test(one))).toEqual([
      'readiness GET /live',
      'control GET /live',
    ]);
  });

  it('leaves a query string out: it is that exact path', () => {
    expect(words(askedRoutes(byLog, [get('/live?probe=1')]))[0]).toBe('control GET /live');
  });

  it('has no misses that a root path does not have', () => {
    expect(words(askedRoutes(byLog, [get('/')]))).toEqual([
      'control GET /',
      'near-miss GET /health',
      'near-miss POST /',
      'near-miss GET /x',
      'near-miss GET //',
    ]);
  });
});
