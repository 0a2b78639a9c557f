import { describe, expect, it } from 'vitest';
import { LINE_BYTES } from '../model/log-limits.ts';
import type { Observation, ObservationOf } from '../model/observation.ts';
import { recordLogLines } from './log-lines.ts';
import { createRecorder } from './recorder.ts';

type Feed = (accept: (stream: 'stdout' | 'stderr', text: string | Buffer) => void, signal: () => void) => void;

function fed(feed: Feed, options: { readonly secrets?: readonly string[]; readonly ready?: string } = {}) {
  const written: Observation[] = [];
  let now = 0;
  const sink = { append: (seen: Observation) => written.push(seen), close: () => undefined };
  const recorder = createRecorder(sink, () => (now += 10), options.secrets ?? []);
  const log = recordLogLines(recorder, options.ready);
  feed(
    (stream, text) => log.accept(stream, Buffer.from(text)),
    () => recorder.record({ kind: 'signal.sent', n: 1, signal: 'TERM', purpose: 'script' }),
  );
  const before = written.length;
  log.finish();
  const lines = written.filter((seen): seen is ObservationOf<'log'> => seen.kind === 'log');
  const leftOut = written.filter((seen): seen is ObservationOf<'log.left-out'> => seen.kind === 'log.left-out');
  return { written, lines, leftOut, log, before };
}

const texts = (lines: readonly ObservationOf<'log'>[]) =>
  lines.map(({ stream, text, partial = false }) => [stream, text, partial]);
const many = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

describe('log lines', () => {
  it('come out whole however the chunks are cut, each on its own stream', () => {
    const { lines } = fed((accept) => {
      accept('stdout', 'one\ntw');
      accept('stderr', 'err');
      accept('stdout', 'o\n');
      accept('stderr', 'or\n');
    });
    expect(texts(lines)).toEqual([
      ['stdout', 'one', false],
      ['stdout', 'two', false],
      ['stderr', 'error', false],
    ]);
  });

  it('keep a character that was cut in two', () => {
    const bytes = Buffer.from('grüße\n');
    const { lines } = fed((accept) => {
      accept('stdout', bytes.subarray(0, 3));
      accept('stdout', bytes.subarray(3));
    });
    expect(texts(lines)).toEqual([['stdout', 'grüße', false]]);
  });

  it('lose colours and carriage returns for matching, and keep the raw text beside it', () => {
    const { lines } = fed((accept) => accept('stdout', '\u001b[3mreason\u001b[0m=Terminate\r\n'));
    expect(lines[0]).toMatchObject({ text: 'reason=Terminate', raw: '\u001b[3mreason\u001b[0m=Terminate\r' });
  });

  it('say when the last one has no end', () => {
    const { lines } = fed((accept) => accept('stdout', 'done\nhalf a li'));
    expect(texts(lines)).toEqual([
      ['stdout', 'done', false],
      ['stdout', 'half a li', true],
    ]);
  });

  it('are written once: what comes after the end is not theirs any more', () => {
    const { written, log } = fed((accept) => accept('stdout', 'done\nhalf a li'));
    const ended = written.length;
    log.accept('stdout', Buffer.from('ne\nlate\n'));
    log.finish();
    expect(written.slice(ended)).toEqual([]);
    expect(log.lines).toBe(2);
  });

  it('go on across the signal where one was under way', () => {
    const { lines } = fed((accept, signal) => {
      accept('stdout', 'half ');
      signal();
      accept('stdout', 'and half\n');
    });
    expect(texts(lines)).toEqual([['stdout', 'half and half', false]]);
  });
});

describe('a long line', () => {
  it.each([
    ['that ends', 'x'.repeat(200_000), '\nnext\n', ['next'], {}],
    ['that does not', 'x'.repeat(200_000), '', [], { partial: true }],
  ])('%s is kept with its beginning, and says what it lacks', (_, long, rest, others, end) => {
    const { lines } = fed((accept) => {
      for (let at = 0; at < long.length; at += 65_536) accept('stdout', long.slice(at, at + 65_536));
      accept('stdout', rest);
    });
    expect(lines[0]).toMatchObject({ text: 'x'.repeat(LINE_BYTES), leftOut: 200_000 - LINE_BYTES, ...end });
    expect(lines.slice(1).map(({ text }) => text)).toEqual(others);
  });

  it('across the signal says all that it lacks', () => {
    const { lines } = fed((accept, signal) => {
      accept('stdout', `${many('flood', 40_000)}${'x'.repeat(20_000)}`);
      signal();
      accept('stdout', 'y\nlast\n');
    });
    expect(lines.at(-2)).toMatchObject({ leftOut: 20_001 - LINE_BYTES });
    expect(lines.at(-1)).toMatchObject({ text: 'last' });
  });
});

describe('a flood', () => {
  const flood: Feed = (accept, signal) => {
    accept('stderr', 'ready\n');
    for (let n = 0; n < 50; n += 1) accept('stdout', many(`before ${n}`, 5000));
    signal();
    for (let n = 0; n < 50; n += 1) accept('stdout', many(`after ${n}`, 5000));
    accept('stderr', 'deadline exceeded\n');
  };

  it('keeps its first and last lines before the signal and after it, in order', () => {
    const { lines } = fed(flood);
    const out = lines.filter(({ stream }) => stream === 'stdout').map(({ text }) => text);
    for (const text of ['before 0 0', 'before 49 4999', 'after 0 0', 'after 49 4999']) expect(out).toContain(text);
    expect(out.at(-1)).toBe('after 49 4999');
    expect(out.length).toBeLessThan(10_000);
    const times = lines.filter(({ stream }) => stream === 'stdout').map(({ t }) => t);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('says how much is not on record and when it came, and loses nothing of the other stream', () => {
    const { lines, leftOut, log } = fed(flood);
    const out = lines.filter(({ stream }) => stream === 'stdout').length;
    expect(leftOut.map(({ stream }) => stream)).toEqual(['stdout', 'stdout']);
    expect(leftOut.reduce((sum, { lines: count }) => sum + count, out)).toBe(500_000);
    expect(log.lines).toBe(500_002);
    const all = Buffer.byteLength(lines.map(({ text }) => `${text}\n`).join(''));
    const sent = [0, 1].reduce((sum, part) => {
      const word = part === 0 ? 'before' : 'after';
      return sum + Array.from({ length: 50 }, (_, n) => many(`${word} ${n}`, 5000).length).reduce((a, b) => a + b);
    }, 'ready\ndeadline exceeded\n'.length);
    expect(leftOut.reduce((sum, { bytes }) => sum + bytes, all)).toBe(sent);
    expect(texts(lines.filter(({ stream }) => stream === 'stderr'))).toEqual([
      ['stderr', 'ready', false],
      ['stderr', 'deadline exceeded', false],
    ]);
  });

  it('does not hide the line that says ready, nor tell of it late', () => {
    const { written, before, leftOut } = fed(
      (accept) => {
        accept('stdout', many('noise', 100_000));
        accept('stdout', `${many('noise', 4000)}now ready to serve\n${many('noise', 4000)}`);
      },
      { ready: 'ready to serve' },
    );
    const early = written.slice(0, before);
    expect(early.at(-1)).toMatchObject({ kind: 'log', text: 'now ready to serve' });
    const kept = written.filter(({ kind }) => kind === 'log').length;
    expect(leftOut.reduce((sum, { lines }) => sum + lines, kept)).toBe(108_001);
  });

  it('has no torn line on record, however its chunks are cut', () => {
    const whole = Array.from({ length: 100 }, (_, index) => `line ${index} ${'x'.repeat(50_000)}\n`).join('');
    const { lines } = fed((accept) => {
      for (let at = 0; at < whole.length; at += 4097) accept('stdout', whole.slice(at, at + 4097));
    });
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.filter(({ text }) => !/^line \d+ x+$/.test(text))).toEqual([]);
  });

  it('of empty lines is no less bounded', () => {
    const { lines } = fed((accept) => {
      for (let n = 0; n < 100; n += 1) accept('stdout', '\n'.repeat(65_536));
    });
    expect(lines.length).toBeLessThan(5000);
  });
});

describe('a secret in a log line', () => {
  const secrets = ['hunter2-and-more'];

  it.each([
    ['in two chunks', ['key hunter2-', 'and-more!\n']],
    ['on the border of a chunk of 64 KiB', [`${'\n'.repeat(65_530)}hunter2-and-more`.slice(0, 65_536), 'and-more!\n']],
    ['on the border of what is kept of a line', [`${'x'.repeat(LINE_BYTES - 7)}hunter2-and-more\n`]],
    ['between escape sequences', ['hunter2-\u001b[0mand-more\n']],
    ['where the line is not text', [Buffer.from([0xff, 0x20]), 'hunter2-and-more\n']],
  ])('is not written, nor its beginning: %s', (_, chunks) => {
    const feed: Feed = (accept) => {
      for (const chunk of chunks) accept('stdout', chunk);
    };
    const { written } = fed(feed, { secrets });
    expect(JSON.stringify(written)).not.toMatch(/hunter2|and-more(?!!)/);
  });
});
