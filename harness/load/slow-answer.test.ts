import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { slowAnswer } from './slow-answer.ts';
import { httpService, httpsService, rawService, trial } from './testing.suite.ts';

const load = { shape: 'slow-answer', count: 2, for: '600ms' } as const;
const slow = [{ method: 'GET', path: '/slow?ms={ms}' }];

/** Answers after the milliseconds that its path says. */
const obeys: RequestListener = (request, response) => {
  const ms = Number(new URL(request.url ?? '', 'http://x').searchParams.get('ms'));
  setTimeout(() => response.end('done'), ms);
};

describe('requests to a declared slow endpoint', () => {
  it.each([
    ['in the clear', httpService, 'http'],
    ['over TLS', httpsService, 'https'],
  ])('%s are held until their answer is due', async (_, serve, over) => {
    const run = trial((await serve(obeys)).access, { slow });
    const { held } = await run.start(slowAnswer(load, run.context));
    expect(run.of('work.held')).toMatchObject([
      { id: 'load-1-1', how: 'declared GET /slow?ms=600', over, ends: 'itself', normal: { status: 200 } },
      { id: 'load-1-2' },
    ]);
    for (const work of held) work.finish(); // nothing of ours is missing
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([{ fate: 'answered', status: 200, bytes: 4 }, { fate: 'answered' }]);
    expect(run.of('work.finished')).toEqual([]);
  });

  it('have no normal answer where the endpoint cannot be told a time', async () => {
    const never: RequestListener = () => undefined;
    const run = trial((await httpService(never)).access, { slow: [{ method: 'GET', path: '/wait' }] });
    await run.start(slowAnswer(load, run.context));
    expect(run.of('work.held')[0]).toMatchObject({ how: 'declared GET /wait', ends: 'itself' });
    expect(run.of('work.held')[0]).not.toHaveProperty('normal');
  });

  it('ask an endpoint that can be told a time before one that cannot', async () => {
    const run = trial((await httpService(obeys)).access, { slow: [{ method: 'GET', path: '/wait' }, ...slow] });
    await run.start(slowAnswer(load, run.context));
    expect(run.of('work.held')[0]?.how).toBe('declared GET /slow?ms=600');
  });

  it('that are due before a proof of the usual length are proven sooner', async () => {
    const run = trial((await httpService(obeys)).access, { slow });
    await run.start(slowAnswer({ ...load, count: 1, for: '200ms' }, run.context));
    expect(run.of('work.held')).toHaveLength(1);
  });

  it('cut off by the service end as that', async () => {
    const service = await httpService(obeys);
    const run = trial(service.access, { slow });
    const { held } = await run.start(slowAnswer({ ...load, for: '600000ms' }, run.context));
    for (const socket of service.sockets) socket.end();
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([
      { fate: 'closed', by: 'FIN' },
      { fate: 'closed', by: 'FIN' },
    ]);
  });

  it.each<[string, RequestListener, string, RegExp]>([
    ['404 on the slow path', (_, r) => r.writeHead(404).end(), '/slow?ms={ms}', /due at once.* was answered 404/],
    ['404 where no time can be told', (_, r) => r.writeHead(404).end(), '/slow', /not held: answered 404/],
    ['an answer at once, whatever the time', (_, r) => r.end('ok'), '/slow?ms={ms}', /not held: answered 200/],
    ['an end without an answer', (_, r) => r.socket?.end(), '/slow?ms={ms}', /due at once.* was not answered: closed/],
  ])('are not held by %s, and that is said', async (_, answer, path, reason) => {
    const run = trial((await httpService(answer)).access, { slow: [{ method: 'GET', path }] });
    const { missing } = await run.start(slowAnswer(load, run.context));
    expect(missing).toEqual({
      capability: 'held work',
      reason: expect.stringMatching(reason),
      declare: "endpoints: { slow: ['GET /path?ms={ms}'] }",
    });
    expect(missing?.reason).toMatch(/^no declared slow endpoint held a request \(/);
    expect(run.of('work.failed')).toMatchObject([{ id: 'load-1', tried: [expect.stringMatching(reason)] }]);
    expect(run.of('work.held')).toEqual([]);
  });

  it('are due after 1 ms at the least where an endpoint refuses 0', async () => {
    const picky: RequestListener = (request, response) => {
      if (request.url === '/slow?ms=0') response.writeHead(400).end();
      else obeys(request, response);
    };
    const run = trial((await httpService(picky)).access, { slow });
    await run.start(slowAnswer(load, run.context));
    expect(run.of('work.held')[0]?.normal).toEqual({ status: 200 });
  });

  it('are not tried where none is declared', async () => {
    let connections = 0;
    const service = await rawService(() => (connections += 1));
    const run = trial(service.access);
    const { missing } = await run.start(slowAnswer(load, run.context));
    expect(missing?.reason).toBe('no slow endpoint is declared');
    expect(connections).toBe(0);
  });
});
