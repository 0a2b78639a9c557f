import { describe, expect, it } from 'vitest';
import { AnswerReader, keptHeaders } from './answer-reader.ts';

/** The time is the number of bytes pushed so far. */
function readAll(pieces: readonly string[], method = 'GET'): AnswerReader {
  let at = 0;
  const reader = new AnswerReader(() => at, method);
  for (const piece of pieces) {
    at += piece.length;
    reader.push(Buffer.from(piece, 'latin1'));
  }
  return reader;
}

const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

const WHOLE: readonly [name: string, text: string, status: number, bytes: number, persistent: boolean][] = [
  ['with a length', `${head('HTTP/1.1 200 OK', 'Content-Length: 5')}hello`, 200, 5, true],
  ['with a length of 0', head('HTTP/1.1 503 Service Unavailable', 'Content-Length: 0'), 503, 0, true],
  [
    'with the same length twice',
    `${head('HTTP/1.1 200 OK', 'Content-Length: 2', 'content-length: 2')}ok`,
    200,
    2,
    true,
  ],
  ['without a reason phrase', head('HTTP/1.1 404 ', 'Content-Length: 0'), 404, 0, true],
  ['without even the space', head('HTTP/1.1 404', 'Content-Length: 0'), 404, 0, true],
  ['with bare line feeds', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', 200, 2, true],
  [
    'in chunks, with an extension and trailers',
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, Chunked')}5;x=1\r\nhel\r\n\r\nA \r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n`,
    200,
    15,
    true,
  ],
  [
    'in chunks although it also gives a length',
    `${head('HTTP/1.1 200 OK', 'Content-Length: 9', 'Transfer-Encoding: chunked')}1\r\nx\r\n0\r\n\r\n`,
    200,
    1,
    true,
  ],
  ['without a body', head('HTTP/1.1 204 No Content', 'Connection: close'), 204, 0, false],
  [
    'not modified, with the length of what it has',
    head('HTTP/1.1 304 Not Modified', 'Content-Length: 9'),
    304,
    0,
    true,
  ],
  [
    'after interim answers',
    `${head('HTTP/1.1 100 Continue')}${head('HTTP/1.1 103 Early Hints', 'Link: x')}${head('HTTP/1.1 200 OK', 'Content-Length: 1')}x`,
    200,
    1,
    true,
  ],
  [
    'switching protocols',
    head('HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'),
    101,
    0,
    false,
  ],
  ['of HTTP/1.0', `${head('HTTP/1.0 200 OK', 'Content-Length: 1')}x`, 200, 1, false],
  [
    'of HTTP/1.0 that stays',
    `${head('HTTP/1.0 200 OK', 'Connection: Keep-Alive', 'Content-Length: 1')}x`,
    200,
    1,
    true,
  ],
];

describe('an answer', () => {
  it.each(WHOLE)('%s is read to its end, however it is split', (_name, text, status, bytes, persistent) => {
    for (let cut = 1; cut < text.length; cut += 1) {
      const { answer, problem, excess } = readAll([text.slice(0, cut), text.slice(cut)]);
      expect({ cut, problem, excess, ...answer }).toMatchObject({
        cut,
        problem: undefined,
        excess: false,
        status,
        bytes,
        persistent,
        complete: true,
        lastByteAt: text.length,
      });
    }
    const { answer } = readAll([...text]);
    expect(answer).toMatchObject({ status, bytes, complete: true, lastByteAt: text.length });
  });

  it.each(WHOLE)('%s is not complete one byte before its end', (_name, text) => {
    expect(readAll([text.slice(0, -1)]).answer?.complete ?? false).toBe(false);
  });

  it.each([
    ['200', `${head('HTTP/1.0 200 OK', 'Server: old')}body`, 4],
    ['a coding that is not chunked', `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip')}body!`, 5],
  ])('without a length (%s) is complete by the end of the connection alone', (_name, text, bytes) => {
    const reader = readAll([text]);
    expect(reader.answer).toMatchObject({ bytes, complete: false, persistent: false });
    reader.end();
    expect(reader.answer).toMatchObject({ bytes, complete: true });
  });

  it.each([
    ['a length', `${head('HTTP/1.1 200 OK', 'Content-Length: 5')}hell`],
    ['chunks', `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n`],
  ])('with %s is not completed by the end of the connection', (_name, text) => {
    const reader = readAll([text]);
    reader.end();
    expect(reader.answer?.complete).toBe(false);
  });

  it('to HEAD has no body, whatever its headers say', () => {
    const text = head('HTTP/1.1 200 OK', 'Content-Length: 5');
    expect(readAll([text], 'HEAD').answer).toMatchObject({ complete: true, bytes: 0 });
    expect(readAll([text]).answer).toMatchObject({ complete: false });
  });

  it('gives the times of its own first and last byte, not those of an interim answer', () => {
    const interim = head('HTTP/1.1 100 Continue');
    const first = 'HTTP/1.1 200 OK\r\nContent-';
    const reader = readAll([interim]);
    expect(reader).toMatchObject({ begun: true, answer: undefined });
    const { answer } = readAll([interim, first, 'Length: 1\r\n\r\n', 'x']);
    const begin = interim.length + first.length;
    expect(answer).toMatchObject({ firstByteAt: begin, lastByteAt: begin + 'Length: 1\r\n\r\nx'.length });
  });

  it('is followed by the next one on the same connection', () => {
    const reader = readAll([`${head('HTTP/1.1 200 OK', 'X-A: 1', 'Content-Length: 1')}x`]);
    reader.next();
    expect(reader).toMatchObject({ begun: false, answer: undefined });
    reader.push(Buffer.from(head('HTTP/1.1 503 No', 'Content-Length: 0', 'Connection: close')));
    expect(reader.answer).toMatchObject({ status: 503, complete: true, persistent: false });
    expect(reader.answer?.headers).not.toHaveProperty('x-a');
  });

  it('that says more than it announced is told apart from one that does not', () => {
    const text = `${head('HTTP/1.1 200 OK', 'Content-Length: 1')}x`;
    expect(readAll([`${text}y`]).excess).toBe(true);
    expect(readAll([text, 'y']).excess).toBe(true);
    expect(readAll([text]).excess).toBe(false);
  });

  it('has its headers in lower case, joined where repeated, whatever they are called', () => {
    const { answer } = readAll([
      head('HTTP/1.1 200 OK', 'Retry-After:0 ', 'A: 1', 'a:\t2', 'constructor: x', 'no header', 'Content-Length: 0'),
    ]);
    expect(answer?.headers).toEqual({ 'retry-after': '0', a: '1, 2', constructor: 'x', 'content-length': '0' });
  });
});

describe('what is not HTTP/1.x', () => {
  it.each([
    ['another protocol without a line end', 'SSH'],
    ['something that begins like it', 'HELLO'],
    ['HTTP/2', 'HTTP/2.0 200'],
    ['a status of two digits', head('HTTP/1.1 20 OK')],
    ['a status of four digits', head('HTTP/1.1 2000 OK')],
    ['a length that is no number', head('HTTP/1.1 200 OK', 'Content-Length: five')],
    ['a negative length', head('HTTP/1.1 200 OK', 'Content-Length: -1')],
    ['an empty length', head('HTTP/1.1 200 OK', 'Content-Length:')],
    ['two lengths', head('HTTP/1.1 200 OK', 'Content-Length: 1', 'Content-Length: 2')],
    ['a chunk size that is none', `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}x\r\n`],
    ['a chunk size beyond reason', `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}${'f'.repeat(16)}\r\n`],
    ['a chunk longer than its size', `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}1\r\nxy\r\n`],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
  ])('is said: %s', (_name, text) => {
    const whole = readAll([text]);
    expect(whole.problem).toBeTypeOf('string');
    expect(whole.answer?.complete ?? false).toBe(false);
    const bytes = text.length < 1000 ? readAll([...text]) : whole;
    expect(bytes.problem).toBeTypeOf('string');
  });

  it('stays so, whatever comes after', () => {
    const reader = readAll(['SSH-2.0\r\n', head('HTTP/1.1 200 OK', 'Content-Length: 0')]);
    expect(reader.problem).toMatch(/^not HTTP\/1\.x: "SSH/);
    expect(reader.answer).toBeUndefined();
  });
});

it('keeps only the headers that clauses speak of', () => {
  expect(keptHeaders({ connection: 'close', 'set-cookie': ['a', 'b'], 'retry-after': 0, upgrade: undefined })).toEqual({
    connection: 'close',
    'retry-after': '0',
  });
});

it('says of an answer of HTTP/1.0 that it is one, where no header of that name can be', () => {
  const of = (first: string): Readonly<Record<string, string>> =>
    keptHeaders(readAll([head(first, 'Content-Length: 0')]).answer?.headers ?? {});
  expect(of('HTTP/1.0 200 OK')).toEqual({ ':version': '1.0', 'content-length': '0' });
  expect(of('HTTP/1.1 200 OK')).toEqual({ 'content-length': '0' });
});
