import { describe, expect, it } from 'vitest';
import { closeFrame, frame, text } from './testing/web-socket-peer.ts';
import { FrameBoundary } from './web-socket-frames.ts';

const long = 'x'.repeat(70_000);

function wholeAfter(bytes: Buffer, step: number): boolean {
  const boundary = new FrameBoundary();
  for (let at = 0; at < bytes.length; at += step) boundary.push(bytes.subarray(at, at + step));
  return boundary.isWhole;
}

describe('where the last byte lies', () => {
  const whole: readonly (readonly [string, Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['an empty message', text('')],
    ['a short message', text('hello')],
    ['a message with a length of 16 bits', text('x'.repeat(300))],
    ['a message with a length of 64 bits', text(long)],
    ['a Close', closeFrame(1001, 'bye')],
    ['a message of three frames', Buffer.concat([frame(1, 'a', false), frame(0, 'b', false), frame(0, 'c')])],
    ['a Ping between the frames of a message', Buffer.concat([frame(1, 'a', false), frame(9), frame(0, 'c')])],
  ];
  it.each(whole)('%s is whole', (_, bytes) => {
    for (const step of [1, 7, bytes.length + 1]) expect(wholeAfter(bytes, step)).toBe(true);
  });

  it.each([
    ['half a head', text('hello').subarray(0, 1)],
    ['half a long head', text(long).subarray(0, 6)],
    ['a head and no payload', text('hello').subarray(0, 2)],
    ['a message without its last byte', text(long).subarray(0, long.length)],
    ['the first frame of a message', frame(1, 'a', false)],
    ['a Ping after the first frame of a message', Buffer.concat([frame(1, 'a', false), frame(9)])],
    ['a whole message and half of one', Buffer.concat([text('a'), text('hello').subarray(0, 4)])],
  ] as const)('%s is not', (_, bytes) => {
    for (const step of [1, 7, bytes.length + 1]) expect(wholeAfter(bytes, step)).toBe(false);
  });
});
