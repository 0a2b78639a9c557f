import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { describe, expect, it } from 'vitest';
import { decodeFields, encodeFields } from './hpack.ts';
import type { Frame } from './http2-frames.ts';
import { clientPreface, encodeFrame, encodeSettings, FrameReader, frameType } from './http2-frames.ts';
import { huffmanText } from './huffman.ts';

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

describe('header fields', () => {
  it('come back as they were written, long ones too', () => {
    const fields = { ':method': 'GET', 'x-long': 'y'.repeat(5000), 'x-127': 'z'.repeat(127), empty: '' };
    expect(decodeFields(encodeFields(fields))).toEqual(fields);
  });

  // RFC 7541, C.4.1 and C.6.1
  it.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['aec3771a4b', 'private'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29ad171863c78f0b97c8e9ae82ae43d3', 'https://www.example.com'],
    ['', ''],
  ])('in Huffman code %s are %s', (coded, text) => {
    expect(huffmanText(Buffer.from(coded, 'hex'))).toBe(text);
  });

  it.each([
    ['that ends with zeroes', '00'],
    ['with more padding than an octet', 'ffff'],
    ['that holds its end', 'fffffffc'],
  ])('refuse a Huffman string %s', (_, coded) => {
    expect(() => huffmanText(Buffer.from(coded, 'hex'))).toThrow(/string/);
  });

  it.each([
    ['indexed beyond the static table', 'be', /header index 62/],
    ['cut in its length', '007f', /too early/],
    ['cut in its text', '000561', /too early/],
    ['of index 0', '80', /header index 0/],
    ['with a length without end', `007f${'ff'.repeat(8)}`, /too many bytes/],
  ])('refuse a block %s', (_, block, message) => {
    expect(() => decodeFields(Buffer.from(block, 'hex'))).toThrow(message);
  });

  it('skip a change of the table size, and join what is repeated', () => {
    const block = Buffer.concat([Buffer.of(0x20, 0x88), encodeFields({ a: '1' }), encodeFields({ a: '2' })]);
    expect(decodeFields(block)).toEqual({ ':status': '200', a: '1, 2' });
  });

  it('of a real server are read: every printable character in its Huffman code', async () => {
    const headers = Object.fromEntries(printable.map((char, index) => [`x-${index}`, `00000${char}00000`]));
    const server = createServer();
    server.on('stream', (stream) =>
      stream.respond({ ':status': 503, 'retry-after': '0', ...headers }, { endStream: true }),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const fields = { ':method': 'GET', ':scheme': 'http', ':authority': 'a', ':path': '/' };
      const settings = encodeFrame(frameType.settings, 0, 0, encodeSettings([[1, 0]]));
      socket.write(
        Buffer.concat([
          Buffer.from(clientPreface),
          settings,
          encodeFrame(frameType.headers, 5, 1, encodeFields(fields)),
        ]),
      );
      const block = await firstHeaders(socket);
      expect(decodeFields(block)).toMatchObject({ ':status': '503', 'retry-after': '0', ...headers });
      expect(block.includes('00000'), 'it is coded').toBe(false);
    } finally {
      socket.destroy();
      server.close();
    }
  });

  it('of our requests are read by a real server', async () => {
    const server = createServer((request, response) =>
      response.end(`${request.method} ${request.headers['x-long']?.length}`),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connectTcp((server.address() as AddressInfo).port, '127.0.0.1');
    try {
      const fields = {
        ':method': 'POST',
        ':scheme': 'http',
        ':authority': 'a',
        ':path': '/',
        'x-long': 'y'.repeat(300),
      };
      const head = encodeFrame(frameType.headers, 5, 1, encodeFields(fields));
      socket.write(Buffer.concat([Buffer.from(clientPreface), encodeFrame(frameType.settings, 0, 0), head]));
      expect(String((await firstFrame(socket, frameType.data)).payload)).toBe('POST 300');
    } finally {
      socket.destroy();
      server.close();
    }
  });
});

describe('frames', () => {
  it('are cut the same wherever what comes is cut', () => {
    const bytes = Buffer.concat([
      encodeFrame(frameType.ping, 0, 0, Buffer.from('12345678')),
      encodeFrame(frameType.data, 1, 3, Buffer.from('abc')),
      encodeFrame(frameType.settings, 1, 0),
    ]);
    const whole = new FrameReader().push(bytes);
    expect(whole.map(({ type, flags, stream, payload }) => [type, flags, stream, payload.length])).toEqual([
      [6, 0, 0, 8],
      [0, 1, 3, 3],
      [4, 1, 0, 0],
    ]);
    for (let size = 1; size < bytes.length; size += 1) {
      const reader = new FrameReader();
      const frames: Frame[] = [];
      for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
      expect(frames).toEqual(whole);
    }
  });

  it('of what is no HTTP/2 are a problem', () => {
    const reader = new FrameReader();
    expect(reader.push(Buffer.from('HTTP/1.1 400 Bad Request'))).toEqual([]);
    expect(reader.problem).toMatch(/a frame of \d+ bytes/);
  });
});

async function firstHeaders(socket: Socket): Promise<Buffer> {
  return (await firstFrame(socket, frameType.headers)).payload;
}

async function firstFrame(socket: Socket, wanted: number) {
  const reader = new FrameReader();
  for await (const chunk of socket) {
    const frame = reader.push(chunk as Buffer).find(({ type }) => type === wanted);
    if (frame) return frame;
  }
  throw new Error('the connection ended first');
}
