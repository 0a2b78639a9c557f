import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { newToken, readState, writeState } from './kept-state.ts';
import { createRecorder } from './recorder.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A store with one value; `answers` may answer in its place. */
async function store(answers: (line: string) => string | undefined = () => undefined) {
  let value = '';
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      const text = chunk.toString();
      const own = answers(text);
      const set = /^SET (\S+)/.exec(text)?.[1];
      if (set !== undefined && own === undefined) value = set;
      socket.write(own ?? (set === undefined ? `=${value}\n` : 'OK\n'));
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const probe = { port, write: 'SET TOKEN\n', read: 'GET\n', expect: '=TOKEN' };
  return { probe, server, forget: () => (value = '') };
}

function recording() {
  const seen: Observation[] = [];
  const started = performance.now();
  const sink = { append: (one: Observation) => void seen.push(one), close: () => undefined };
  return { seen, recorder: createRecorder(sink, () => (performance.now() - started) * 1e6, []) };
}

const vantage = { address: '127.0.0.1' };

it('a value that was written is read back, by a token of its own', async () => {
  const { probe } = await store();
  const { seen, recorder } = recording();
  const token = newToken();
  await writeState(probe, vantage, recorder, token);
  await readState(probe, vantage, recorder, token);
  expect(seen).toMatchObject([
    { kind: 'state', did: 'written', ok: true, token },
    { kind: 'state', did: 'read', ok: true, answered: true, token },
  ]);
  expect(newToken()).not.toBe(token);
});

it('a value that is not there at once was not written: what was answered is on record', async () => {
  const { probe } = await store((line) => (line.startsWith('SET') ? '-DENIED\n' : undefined));
  const { seen, recorder } = recording();
  await writeState(probe, vantage, recorder, 'one');
  expect(seen).toMatchObject([{ did: 'written', ok: false, detail: expect.stringContaining('DENIED') }]);
});

it('a server that says that it keeps nothing is given nothing', async () => {
  const { probe } = await store((line) => (line === 'KEEPS?\n' ? 'nothing\n' : undefined));
  const { seen, recorder } = recording();
  await writeState({ ...probe, unless: { ask: 'KEEPS?\n', says: 'nothing' } }, vantage, recorder, 'one');
  expect(seen).toMatchObject([{ did: 'refused' }]);
});

it('a server that is still loading is asked again', async () => {
  let asked = 0;
  const { probe } = await store((line) => {
    if (line === 'GET\n') asked += 1;
    return line === 'GET\n' && asked <= 2 ? '-LOADING\n' : undefined;
  });
  const { seen, recorder } = recording();
  asked = 2; // not while it is written
  await writeState(probe, vantage, recorder, 'one');
  asked = 0;
  await readState(probe, vantage, recorder, 'one');
  expect(seen.at(-1)).toMatchObject({ did: 'read', ok: true });
  expect(asked).toBe(3);
});

it('a value that is gone is told from a server that does not answer', async () => {
  const { probe, forget, server } = await store();
  const { seen, recorder } = recording();
  await writeState(probe, vantage, recorder, 'one');
  forget();
  await readState(probe, vantage, recorder, 'one', 1);
  expect(seen.at(-1)).toMatchObject({ did: 'read', ok: false, answered: true });
  server.close();
  await once(server, 'close');
  await readState(probe, vantage, recorder, 'one', 1);
  expect(seen.at(-1)).toMatchObject({ did: 'read', ok: false, answered: false });
  await readState(probe, { address: undefined }, recorder, 'one');
  expect(seen.at(-1)).toMatchObject({ did: 'read', ok: false, answered: false });
});
