import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { httpService, httpsService, trial } from './testing.suite.ts';
import { upload } from './upload.ts';

const load = { shape: 'upload', count: 2 } as const;

/** Says how many bytes it took. */
const counts: RequestListener = (request, response) => {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.writeHead(201).end(`${bytes}`));
};

describe('uploads', () => {
  it.each([
    ['in the clear', httpService],
    ['over TLS', httpsService],
  ])('%s go on until we finish, and arrive whole', async (_, serve) => {
    const taken: number[] = [];
    const service = await serve((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => (bytes += chunk.length));
      request.on('end', () => {
        taken.push(bytes);
        response.writeHead(201).end();
      });
    });
    const run = trial(service.access);
    const { held } = await run.start(upload(load, run.context));
    expect(run.of('work.held')).toMatchObject([
      { how: 'POST / with an upload that goes on', ends: 'finish', normal: { status: 201 } },
      { id: 'load-1-2' },
    ]);
    for (const work of held) work.finish();
    await Promise.all(held.map(({ ended }) => ended));
    expect(taken).toEqual([196_608, 196_608, 196_608]); // the first is the baseline
    expect(run.of('work.finished')).toHaveLength(2);
    expect(run.of('work.ended')).toMatchObject([{ fate: 'answered', status: 201 }, { status: 201 }]);
  });

  it('use the declared endpoint first', async () => {
    const run = trial((await httpService(counts)).access, { upload: [{ method: 'PUT', path: '/files' }] });
    await run.start(upload(load, run.context));
    expect(run.of('work.held')[0]?.how).toBe('declared PUT /files with an upload that goes on');
  });

  it('that are cut in the middle end as what happened to them', async () => {
    const service = await httpService(counts);
    const run = trial(service.access);
    const { held } = await run.start(upload(load, run.context));
    for (const socket of service.sockets) socket.resetAndDestroy();
    await Promise.all(held.map(({ ended }) => ended));
    expect(run.of('work.ended')).toMatchObject([
      { fate: 'reset', by: 'RST' },
      { fate: 'reset', by: 'RST' },
    ]);
    expect(run.of('work.finished')).toEqual([]);
  });

  it('that are answered early are not held, and that is said', async () => {
    const run = trial((await httpService((_request, response) => response.writeHead(413).end())).access);
    const { missing } = await run.start(upload(load, run.context));
    expect(missing).toEqual({
      capability: 'held work',
      reason: 'no upload stayed in flight (not held: answered 413 before its body was complete)',
      declare: "endpoints: { upload: ['POST /path'] }",
    });
    expect(run.of('work.failed')[0]?.tried[0]).toMatch(/answered 413/);
  });
});
