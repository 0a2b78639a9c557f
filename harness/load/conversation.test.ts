import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { relayLost, systemError } from '../wire/relay-errors.ts';
import { Conversation } from './conversation.ts';

/** A conversation over what never says anything. */
function converse() {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  return { socket, conversation: new Conversation(socket as Socket, 0, () => 1) };
}

describe('an exchange', () => {
  it.each([
    [
      'its connection is reset',
      systemError('read', 'ECONNRESET'),
      { t: 1, fate: 'reset', by: 'RST', message: 'ECONNRESET' },
    ],
    ['the way to it is lost: nobody knows', relayLost('the sidecar was lost'), undefined],
  ])('ends, or not, when %s', async (_, error, ending) => {
    const { socket, conversation } = converse();
    socket.destroy(error);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(conversation.over).toEqual(ending);
    expect(conversation.closed).toBe(true);
    expect(await conversation.write('more')).toBe(false);
    await conversation.destroy();
    expect(conversation.over).toEqual(ending ?? { t: 1, fate: 'held' });
  });
});
