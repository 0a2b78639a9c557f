import { describe, expect, it, vi } from 'vitest';
import { createPacer, sentBody } from './sent-body.ts';

const plan = { total: 10, everyMs: 20, pieceBytes: (sent: number) => (sent < 4 ? 4 : 1) };

describe('a body that is sent piece by piece', () => {
  it('with its length promised never completes before the rest is asked for', () => {
    const body = sentBody(plan, false);
    expect(body.headers).toEqual({ 'content-length': '10' });
    const pieces = Array.from({ length: 8 }, () => body.next());
    expect(pieces).toEqual(['xxxx', 'x', 'x', 'x', 'x', 'x', undefined, undefined]);
    expect(body.rest()).toBe('x');
  });

  it('in chunks ends with its last chunk', () => {
    const body = sentBody(plan, true);
    expect(body.headers).toEqual({ 'transfer-encoding': 'chunked' });
    expect([body.next(), body.next()]).toEqual(['4\r\nxxxx\r\n', '1\r\nx\r\n']);
    expect(body.rest()).toBe('5\r\nxxxxx\r\n0\r\n\r\n');
  });

  it('is whole where nothing was sent before', () => {
    expect(sentBody(plan, false).rest()).toBe('x'.repeat(10));
  });
});

describe('one timer for many bodies', () => {
  it('calls each step until it has enough, and then no more', async () => {
    vi.useFakeTimers();
    try {
      const pacer = createPacer(50);
      let short = 0;
      let long = 0;
      pacer.add(() => ++short < 2);
      pacer.add(() => ++long < 4);
      await vi.advanceTimersByTimeAsync(1000);
      expect([short, long]).toEqual([2, 4]);
      expect(vi.getTimerCount()).toBe(0);
      pacer.add(() => ++long < 6); // it takes up again
      await vi.advanceTimersByTimeAsync(1000);
      expect([short, long]).toEqual([2, 6]);
    } finally {
      vi.useRealTimers();
    }
  });
});
