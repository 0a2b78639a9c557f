import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { StalledKind } from '../model/scenario.ts';
import { idleKeepAlive } from './idle-keep-alive.ts';
import { stalledSocket } from './stalled.ts';
import type { Trial } from './testing.suite.ts';
import { rawService, trial } from './testing.suite.ts';

const kinds: readonly (readonly [StalledKind, RegExp, string])[] = [
  ['silent', /^silent: connected, nothing sent$/, ''],
  ['half-sent', /^half-sent: three letters and no end of the line$/, 'lfq'],
  ['one-line', /^one-line: one line and nothing more$/, 'lfq\r\n'],
  ['half-closed', /^half-closed: connected, nothing sent, then FIN$/, ''],
];

/** A trial at a raw service over bare TCP, and all that it was sent. */
async function at(
  serve: (socket: Socket) => void,
  allowHalfOpen = false,
): Promise<Trial & { readonly heard: () => string }> {
  let heard = '';
  const { access } = await rawService((socket) => {
    if (allowHalfOpen) socket.allowHalfOpen = true;
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
    });
    serve(socket);
  });
  return { ...trial({ ...access, over: 'tcp' }), heard: () => heard };
}

const load = (kind: StalledKind) => ({ shape: 'stalled', kind }) as const;
const nothing = (): void => undefined;

describe('a connection of bare TCP that does not go on', () => {
  it.each(kinds)('%s is held, is no work, and asks for nothing', async (kind, how, sent) => {
    const { context, start, of, heard } = await at(nothing, true);
    expect((await start(stalledSocket(load(kind), context))).missing).toBeUndefined();
    expect(of('work.held')).toMatchObject([{ over: 'tcp', admitted: false, ends: 'never' }]);
    expect(of('work.held')[0]?.how).toMatch(how);
    expect(heard()).toBe(sent);
  });

  it('is held whatever the service says: nothing of it is an answer', async () => {
    const { context, start, of } = await at((socket) => socket.write('220 mail.test ready\r\n'));
    const { held } = await start(stalledSocket(load('one-line'), context));
    await held[0]?.release();
    expect(of('work.ended')).toMatchObject([{ fate: 'held' }]);
    expect(of('work.ended')[0]).not.toHaveProperty('status');
  });

  it('is begun in binary where text is not waited for', async () => {
    const { context, start, of } = await at((socket) => {
      socket.on('data', (chunk) => chunk[0] !== 0 && socket.end());
    });
    await start(stalledSocket(load('half-sent'), context));
    expect(of('work.held')[0]?.how).toBe('half-sent: one byte, a zero');
  });

  it.each([
    ['one-line', (socket: Socket) => socket.on('data', () => socket.end()), /no connection of kind one-line is held/],
    ['silent', (socket: Socket) => socket.end(), /no connection of kind silent is held/],
    ['half-closed', nothing, /closes a half-closed connection at once/],
  ] as const)('%s is missing, and no failure, where the service closes it at once', async (kind, serve, reason) => {
    const { context, start, of } = await at(serve);
    const { missing } = await start(stalledSocket(load(kind), context));
    expect(missing).toMatchObject({ capability: 'held work', declare: expect.stringMatching(/^tcp: \[5432\]/) });
    expect(missing?.reason).toMatch(reason);
    expect(of('work.failed')).toHaveLength(1);
  });

  it('has no kind that only HTTP has', async () => {
    const { context, start } = await at(nothing);
    expect((await start(stalledSocket(load('half-headers'), context))).missing).toMatchObject({
      capability: 'held work',
    });
  });

  it('sees how the service ends it', async () => {
    const sockets: Socket[] = [];
    const { context, start, of } = await at((socket) => sockets.push(socket));
    const { held } = await start(stalledSocket(load('silent'), context));
    sockets.at(-1)?.resetAndDestroy();
    await held[0]?.ended;
    expect(of('work.ended')).toMatchObject([{ fate: 'reset', by: 'RST' }]);
  });
});

describe('idle connections of bare TCP', () => {
  const idle = { shape: 'idle-keep-alive', count: 2 } as const;

  it('stand and say nothing', async () => {
    const { context, start, of, heard } = await at(nothing);
    expect((await start(idleKeepAlive(idle, context))).held).toHaveLength(2);
    expect(of('work.held')).toMatchObject([1, 2].map(() => ({ over: 'tcp', admitted: false, ends: 'never' })));
    expect(heard()).toBe('');
  });

  it('are missing where the service closes them by itself', async () => {
    const { context, start } = await at((socket) => socket.end());
    const { missing } = await start(idleKeepAlive(idle, context));
    expect(missing).toMatchObject({ capability: 'held work', reason: expect.stringMatching(/no silent connection/) });
  });

  it('are missing where nobody listens', async () => {
    const { access, close } = await rawService(nothing);
    close();
    const { context, start } = trial({ ...access, over: 'tcp' });
    expect((await start(idleKeepAlive(idle, context))).missing).toMatchObject({ capability: 'tcp' });
  });
});
