import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { levelsOf } from '../../harness/contract/index.ts';
import { serverByName } from '../../harness/profile/known-servers/index.ts';
import { galleryServers, inWordsOf } from './gallery.ts';
import { sample } from './sample.ts';

const bases = ['base', 'base-java', 'base-small'];
const folders = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(join(import.meta.dirname, name, 'Dockerfile')),
);
const dockerfileOf = (name: string): string => readFileSync(join(import.meta.dirname, name, 'Dockerfile'), 'utf8');

describe('expected.yaml of the gallery', () => {
  it('is there for every image but the bases, and for those of the sample', () => {
    const names = galleryServers.map(({ name }) => name);
    expect(names).toEqual(folders.filter((name) => !bases.includes(name)).sort());
    expect(sample.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(galleryServers)('of $name names a known server, a document, and what was seen by hand', (one) => {
    expect(serverByName(one.server)?.name).toBe(one.server);
    expect(one.documentation).toMatch(/\S/);
    expect(one.byHand).toMatch(/docker (kill|stop)/);
  });

  it.each(galleryServers)('of $name begins with the signal of the official image', ({ name, subjects }) => {
    const signal = /^STOPSIGNAL SIG(\w+)$/m.exec(dockerfileOf(name))?.[1] ?? 'TERM';
    expect(subjects[0]?.stopSignal).toBe(signal);
    expect(new Set(subjects.map(({ stopSignal }) => stopSignal)).size).toBe(subjects.length);
  });

  const subjects = galleryServers.flatMap((server) =>
    server.subjects.map((subject) => ({ name: `${server.name} ${subject.stopSignal}`, subject, server })),
  );

  const known = ['pass', 'fail', 'not exercised', 'pass or inconclusive', 'fail or inconclusive'];
  it.each(subjects)('of $name says why, and speaks of clauses of the baseline by known outcomes', (one) => {
    const levels = levelsOf({ name: 'baseline' });
    const said = [one.subject.clauses, ...Object.values(one.subject.engines ?? {})];
    for (const clauses of said) {
      expect(Object.keys(clauses).filter((id) => (levels[id] ?? '-') === '-')).toEqual([]);
      const others = Object.values(clauses).filter((outcome) => !known.includes(outcome));
      expect(others).toEqual([]);
    }
    expect(one.subject.why).toMatch(/\S/);
  });

  it.each([
    ['pass or inconclusive', 'inconclusive', 'pass or inconclusive'],
    ['fail or inconclusive', 'fail', 'fail or inconclusive'],
    ['fail or inconclusive', 'pass', 'pass'],
    ['fail', 'inconclusive', 'inconclusive'],
    ['not exercised', 'not exercised', 'not exercised'],
  ])('that says %s takes %s as %s', (expected, outcome, words) => {
    expect(inWordsOf(expected, outcome)).toBe(words);
  });

  it.each(subjects)('of $name says of its own stop signal whether it is SIGTERM', ({ subject }) => {
    expect(subject.clauses['IMG-3']).toBe(subject.stopSignal === 'TERM' ? 'pass' : 'fail');
  });
});
