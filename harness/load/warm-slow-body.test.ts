import { describe, expect, it } from 'vitest';
import { afterHead, httpService, httpsService, rawService, readsBodies, trial } from './testing.suite.ts';
import { warmSlowBody } from './warm-slow-body.ts';

const load = { shape: 'warm-slow-body', count: 2 } as const;

describe('slow bodies on connections that were used before', () => {
  it.each([
    ['in the clear', httpService],
    ['over TLS', httpsService],
  ])('%s are held, each after one whole answer on the same connection', async (_, serve) => {
    const requestsOf = new Map<unknown, number>();
    const service = await serve((request, response) => {
      requestsOf.set(request.socket, (requestsOf.get(request.socket) ?? 0) + 1);
      readsBodies(request, response);
    });
    const run = trial(service.access);
    const { held } = await run.start(warmSlowBody(load, run.context));
    expect([...requestsOf.values()]).toEqual([2, 2]);
    expect(run.of('work.held')).toMatchObject([
      { id: 'load-1-1', shape: 'warm-slow-body', ends: 'finish', normal: { status: 200 } },
      { id: 'load-1-2' },
    ]);
    for (const work of held) work.finish();
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([
      { fate: 'answered', status: 200, bytes: 2 },
      { fate: 'answered', status: 200, bytes: 2 },
    ]);
    for (const { firstByteAt, t } of run.of('work.ended')) {
      const proof = run.of('work.held').at(-1)?.t ?? Number.POSITIVE_INFINITY;
      expect(firstByteAt).toBeGreaterThan(proof); // of the second answer, not of the first
      expect(firstByteAt).toBeLessThanOrEqual(t);
    }
  });

  it('are not the cold connection’s: a service that drops the used one before its second request holds none', async () => {
    const service = await rawService(
      afterHead((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', () => socket.end());
      }),
    );
    const run = trial(service.access);
    const { missing } = await run.start(warmSlowBody(load, run.context));
    expect(missing?.capability).toBe('held work');
    expect(run.of('work.held')).toEqual([]);
  });

  it.each([
    ['that says close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['that only a close ends', 'HTTP/1.1 200 OK\r\n\r\nbye'],
  ])('cannot be had from a service with an answer %s: that is the reason', async (_, answer) => {
    const run = trial((await rawService(afterHead((socket) => socket.end(answer)))).access);
    const { missing } = await run.start(warmSlowBody(load, run.context));
    expect(missing).toMatchObject({
      capability: 'held work',
      reason: expect.stringMatching(/the service keeps no connection alive: it closes after its answer 200$/),
    });
    expect(run.of('work.failed')[0]?.tried).toHaveLength(3);
    expect(run.of('work.held')).toEqual([]);
  });

  it('are not told apart from silence where nothing is ever answered', async () => {
    const run = trial((await rawService(afterHead((socket) => socket.resetAndDestroy()))).access);
    await run.start(warmSlowBody(load, run.context));
    expect(run.of('work.failed')[0]?.tried[0]).toMatch(/a complete request of this form was not answered: reset/);
  });
});
