import { expect, it } from 'vitest';
import { lastLines } from './last-lines.ts';

it('the last lines of both streams are kept as they came, without colours, and an open line last', () => {
  const { accept, lines } = lastLines();
  accept('stdout', Buffer.from('one\ntw'));
  accept('stderr', Buffer.from('\u001b[31merror\u001b[0m\r\n\n'));
  accept('stdout', Buffer.from('o\nand no end'));
  expect(lines()).toEqual(['one', 'error', 'two', 'and no end']);
});

it('of a flood only the end is kept', () => {
  const { accept, lines } = lastLines();
  for (let n = 0; n < 1000; n += 1) accept('stdout', Buffer.from(`line ${n}\n`));
  accept('stderr', Buffer.alloc(1024 * 1024, 'x'));
  expect(lines().slice(0, -1)).toEqual(Array.from({ length: 19 }, (_, n) => `line ${981 + n}`));
  expect(lines().at(-1)?.length).toBeLessThanOrEqual(16 * 1024);
});
