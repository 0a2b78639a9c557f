import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answering, Bench, OK } from './admission-probe-bench.suite.ts';
import { ProbeLoop } from './admission-probe-loop.ts';
import type { FromThread } from './admission-probe-messages.ts';

/** Looks at PID 1: before the first request, after its connect, before the first turn, after that turn's connect. */
const LOOKS = { baseline: 1, connected: 2, turn: 3, turnConnected: 4 } as const;

let bench: Bench;
let requests: string[];
beforeEach(() => {
  bench = new Bench();
  requests = [];
});
afterEach(async () => await bench.close());

/** A loop whose first turn is at once and whose next never comes, on a target that is gone from look `gone` on. */
async function run(gone: number, onStarted: (loop: ProbeLoop) => void = () => undefined): Promise<FromThread[]> {
  const server = createServer(answering((socket, request) => requests.push(request) && socket.write(OK)));
  const port = await bench.listening(server);
  const messages: FromThread[] = [];
  let looks = 0;
  await new Promise<void>((resolve) => {
    const job = {
      access: { address: '127.0.0.1', port, over: 'http' as const },
      through: { pid: 1 },
      request: { method: 'GET', path: '/' },
      everyMs: 3_600_000,
      kept: 0,
      base: 0n,
    };
    const loop = new ProbeLoop(job, {
      now: () => Number(process.hrtime.bigint()),
      alive: () => {
        looks += 1;
        return looks < gone;
      },
      emit: (message) => {
        messages.push(message);
        if (message.type === 'started') {
          if (gone > LOOKS.turn) server.close();
          onStarted(loop);
        }
        if (message.type === 'samples') loop.stop(); // there must be none, and then it ends by itself
        if (message.type === 'over') resolve();
      },
    });
    void loop.start();
  });
  return messages;
}

const kinds = (messages: readonly FromThread[]): string[] => messages.map(({ type }) => type);

describe('a target that has ended', () => {
  it('is not connected to before the first request', async () => {
    expect(kinds(await run(LOOKS.baseline))).toEqual(['failed', 'over']);
    expect(bench.accepted).toBe(0);
  });

  it('gets no request on a connection that stood too late', async () => {
    const messages = await run(LOOKS.connected);
    expect(messages[0]).toMatchObject({ type: 'failed', message: 'PID 1 ended before the probe was under way' });
    expect(requests).toEqual([]);
  });

  it('is not connected to in a later turn', async () => {
    const messages = await run(LOOKS.turn);
    expect(kinds(messages)).toEqual(['started', 'over']);
    expect(messages.at(-1)).toMatchObject({ totals: { samples: 0, void: 0 } });
    expect(bench.accepted).toBe(1);
  });

  it('makes a refusal void: it may have come from nobody', async () => {
    const messages = await run(LOOKS.turnConnected);
    expect(kinds(messages)).toEqual(['started', 'over']);
    expect(messages.at(-1)).toMatchObject({ totals: { samples: 0, void: 1 } });
  });

  it('is not asked anything', async () => {
    const question = [{ purpose: 'control' as const, method: 'GET', path: '/live' }];
    const messages = await run(LOOKS.turn, (loop) => setImmediate(() => loop.ask(1, question)));
    expect(kinds(messages).toSorted()).toEqual(['asked', 'over', 'started']);
    expect(bench.accepted).toBe(1);
  });
});
