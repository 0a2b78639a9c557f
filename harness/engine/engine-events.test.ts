import { describe, expect, it } from 'vitest';
import { parseEvent } from './engine-events.ts';

describe('parseEvent', () => {
  it('keeps the nanoseconds that JSON.parse would lose', () => {
    const line = '{"Action":"start","timeNano":1796044541761271775,"Actor":{"Attributes":{}}}';
    expect(JSON.parse(line).timeNano).not.toBe(1796044541761271775n);
    expect(parseEvent(line)).toEqual({ action: 'start', atNs: 1796044541761271775n });
  });

  it('names the signal that Docker gives as a number', () => {
    const line = '{"Action":"kill","Actor":{"Attributes":{"signal":"15"}},"timeNano":1}';
    expect(parseEvent(line)).toEqual({ action: 'kill', atNs: 1n, signal: 'TERM' });
  });

  it('reads the exit code of an end, and of nothing else', () => {
    const attributes = '"Actor":{"Attributes":{"exitCode":"7","containerExitCode":"0"}},"timeNano": 2';
    expect(parseEvent(`{"Action":"die",${attributes}}`)).toEqual({ action: 'die', atNs: 2n, exitCode: 7 });
    expect(parseEvent(`{"Action":"cleanup",${attributes}}`)).toEqual({ action: 'cleanup', atNs: 2n });
  });

  it('passes over lines that are no events', () => {
    expect(parseEvent('')).toBeUndefined();
    expect(parseEvent('{}')).toBeUndefined();
  });
});
