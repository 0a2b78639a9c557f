import { describe, expect, it } from 'vitest';
import { demultiplexer } from './demultiplexer.ts';

function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

const LOG = Buffer.concat([frame(1, 'one\n'), frame(2, 'bad\n'), frame(1, ''), frame(1, 'two\n')]);

describe('demultiplexing', () => {
  it.each([1, 3, 7, 8, 9, 1000])('does not care where the network cuts (%i bytes)', (size) => {
    const seen = { stdout: '', stderr: '' };
    const push = demultiplexer((stream, chunk) => {
      seen[stream] += chunk.toString();
    });
    for (let at = 0; at < LOG.length; at += size) push(LOG.subarray(at, at + size));
    expect(seen).toEqual({ stdout: 'one\ntwo\n', stderr: 'bad\n' });
  });

  it('passes on the beginning of a frame before its end has come', () => {
    const seen: string[] = [];
    demultiplexer((_, chunk) => seen.push(chunk.toString()))(frame(1, 'half a line').subarray(0, 12));
    expect(seen).toEqual(['half']);
  });
});
