import { describe, expect, it } from 'vitest';
import { answerMessage } from './web-socket-messages.ts';

describe('a message on a WebSocket', () => {
  it.each([
    ['ping', ['pong']],
    ['{"register":true}', ['{"registered":true}']],
    ['hello', []],
    ['flood', []],
    ['flood x', []],
    ['flood 0', []],
    ['flood 3', ['...']],
  ])('%s is answered with %s', (text, answers) => {
    expect(answerMessage(text)).toEqual(answers);
  });

  it.each([
    ['flood 65536', [65_536]],
    ['flood 65537', [65_536, 1]],
    ['flood 200000', [65_536, 65_536, 65_536, 3392]],
  ])('%s comes in messages of 64 KiB, the last one shorter', (text, lengths) => {
    expect(answerMessage(text).map(({ length }) => length)).toEqual(lengths);
  });

  it('a flood has a bound', () => {
    expect(answerMessage('flood 99999999999')).toHaveLength(1024);
  });
});
