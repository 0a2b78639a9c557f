import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../model/errors.ts';
import { headerLine, observationLine } from './history-lines.ts';
import { historyWriter } from './history-writer.ts';
import { parseHistory, readHistory } from './read-history.ts';
import { header, observations } from './testing/literal-history.ts';

const written = headerLine(header()) + observations.map(observationLine).join('');
const lines = written.split('\n').slice(0, -1);

describe('a written history', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lf-qualify-store-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('comes back as it was, with its end mark', async () => {
    const writer = historyWriter(join(folder, 'a/b'), header());
    writer.append(observations);
    writer.close();
    writer.close();
    expect(await readHistory(writer.path)).toEqual({
      header: header(),
      observations: JSON.parse(JSON.stringify(observations)),
      complete: true,
    });
  });

  it('has its header on disk before anything is seen, and all of it after a flush', async () => {
    const writer = historyWriter(folder, header());
    expect(await readFile(writer.path, 'utf8')).toBe(headerLine(header()));
    writer.append(observations);
    writer.flush();
    expect(await readFile(writer.path, 'utf8')).toBe(written);
    writer.close();
  });

  it('reaches the disk without a flush or a close', async () => {
    const writer = historyWriter(folder, header());
    writer.append(observations);
    await expect.poll(() => readFile(writer.path, 'utf8')).toBe(written);
    writer.close();
  });

  it('keeps raw output beside it, byte for byte, a file per stream', async () => {
    const writer = historyWriter(folder, header());
    const bytes = Buffer.from([0, 0xff, 0x1b, 0x0a]);
    writer.appendOutput('stdout', bytes);
    writer.appendOutput('stdout', bytes);
    writer.close();
    expect(await readFile(join(folder, 'stdout.log'))).toEqual(Buffer.concat([bytes, bytes]));
    expect(existsSync(join(folder, 'stderr.log'))).toBe(false);
  });

  it('is never written over, nor on after its close', () => {
    const writer = historyWriter(folder, header());
    expect(() => historyWriter(folder, header())).toThrow(StoreError);
    writer.close();
    expect(() => writer.append(observations)).toThrow(`cannot append to ${writer.path}: it is closed`);
  });

  it('a file that cannot be read is a StoreError', async () => {
    await writeFile(join(folder, 'x'), '');
    await expect(readHistory(join(folder, 'none'))).rejects.toThrow(StoreError);
  });
});

describe('the bytes of a history', () => {
  it('begin with the same keys in the same order, however the objects were built', () => {
    expect(Object.keys(JSON.parse(lines[0] ?? ''))).toEqual([
      'kind',
      'format',
      'run',
      'cell',
      'engine',
      'image',
      'basis',
      'envKeys',
      'harness',
      'origin',
      'ready',
      'uncertainty',
    ]);
    expect(lines[2]).toBe(
      '{"seq":2,"t":9,"begin":6,"kind":"signal.delivered","n":1,"purpose":"script","signal":"TERM"}',
    );
    expect(lines[4]).toBe('{"seq":4,"t":20,"kind":"end"}');
  });

  it('hold one line an observation, whatever the target printed', () => {
    expect(lines).toHaveLength(1 + observations.length);
  });
});

describe('a history cut short', () => {
  it('can be read wherever it was cut after the header, and is complete only with its whole end mark', () => {
    const bytes = Buffer.from(written);
    const headerEnd = Buffer.byteLength(headerLine(header()));
    for (let length = headerEnd; length <= bytes.length; length++) {
      const history = parseHistory(bytes.subarray(0, length).toString(), 'h');
      // Without its line end the last line may still be whole.
      expect(history.complete).toBe(length >= bytes.length - 1);
    }
  });

  it('is refused without a whole header', () => {
    expect(() => parseHistory('', 'h')).toThrow('history h: ends before its first line is whole');
    expect(() => parseHistory(headerLine(header()).slice(0, 40), 'h')).toThrow(
      'history h: ends before its first line is whole',
    );
  });

  it('is not complete when something follows the end mark', () => {
    const late = observationLine({ seq: 9, t: 30, kind: 'stall', lateMs: 3 });
    expect(parseHistory(written + late, 'h').complete).toBe(false);
  });
});

describe('a broken history', () => {
  const put = (index: number, line: string): string => `${lines.with(index, line).join('\n')}\n`;
  const headerWith = (change: object): string => JSON.stringify({ ...JSON.parse(lines[0] ?? ''), ...change });

  it.each([
    ['garbage in the middle', put(2, '{"seq":2,"t'), 'history h, line 3: not a JSON object: "{\\"seq\\":2,\\"t"'],
    ['a whole last line that is broken', put(4, 'x'), 'history h, line 5: not a JSON object: "x"'],
    ['an empty line', put(2, ''), 'history h, line 3: not a JSON object: ""'],
    ['a list', put(2, '[]'), 'history h, line 3: not a JSON object: "[]"'],
    ['no header', put(0, lines[1] ?? ''), 'history h, line 1: not a header'],
    ['two headers', put(2, lines[0] ?? ''), 'history h, line 3: kind "header" is not one of an observation'],
    ['no kind', put(2, '{"seq":2,"t":1}'), 'history h, line 3: kind undefined is not one of an observation'],
    ['a line twice', put(2, lines[1] ?? ''), 'history h, line 3: seq 1 does not come after 1'],
    [
      'a time in text',
      put(2, '{"seq":2,"t":"1","kind":"end"}'),
      'history h, line 3: t "1" is not a whole number of nanoseconds',
    ],
    [
      'half a nanosecond',
      put(2, '{"seq":2,"t":1,"begin":0.5,"kind":"end"}'),
      'history h, line 3: begin 0.5 is not a whole number',
    ],
    [
      'an interval the wrong way',
      put(2, '{"seq":2,"t":1,"begin":2,"kind":"end"}'),
      'history h, line 3: begin 2 is after t 1',
    ],
    [
      'no image digest',
      put(0, headerWith({ image: {} })),
      "history h, line 1: the header's image.digest is missing or not string",
    ],
    ['no basis', put(0, headerWith({ basis: null })), "history h, line 1: the header's basis is missing or not object"],
    [
      'clauses in text',
      put(0, headerWith({ cell: { path: '', clauses: '' } })),
      "the header's cell.clauses is missing or not array",
    ],
    [
      'a newer format',
      put(0, headerWith({ format: 2 })),
      'history h: format 2 is newer than the 1 this version reads; use ',
    ],
    ['no format', put(0, headerWith({ format: '1' })), 'history h: format "1" is not a format number'],
  ])('%s is a StoreError that says where', (_, text, message) => {
    expect(() => parseHistory(text, 'h')).toThrow(StoreError);
    expect(() => parseHistory(text, 'h')).toThrow(message);
  });
});

describe('an older history', () => {
  it('is upgraded a step at a time', () => {
    const steps = {
      1: (raw: { header: object; observations: readonly object[] }) => ({
        header: { ...raw.header, run: 'from 1' },
        observations: raw.observations.map((observation) => ({ ...observation, seen: ['from 1'] })),
      }),
      2: (raw: { header: { run?: unknown }; observations: readonly { seen?: unknown }[] }) => ({
        header: { ...raw.header, run: `${raw.header.run}, from 2` },
        observations: raw.observations.map((line) => ({ ...line, seen: [...(line.seen as string[]), 'from 2'] })),
      }),
    };
    const history = parseHistory(written, 'h', 3, steps);
    expect(history.header).toMatchObject({ format: 3, run: 'from 1, from 2' });
    expect(history.observations[0]).toMatchObject({ seq: 1, seen: ['from 1', 'from 2'] });
    expect(history.complete).toBe(true);
  });

  it('is refused where no step leads on', () => {
    expect(() => parseHistory(written, 'h', 2, {})).toThrow('history h: format 1 can no longer be read');
  });
});
