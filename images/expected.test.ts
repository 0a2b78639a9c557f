import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clauses, levelsOf } from '../harness/contract/index.ts';
import type { PresetName } from '../harness/model/clause.ts';
import { variants } from './variants/variants.ts';

type Expected = {
  readonly preset: PresetName;
  readonly why: string;
  readonly clauses: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Images that others are made from or that tests of the harness use, and those with a table of their own. */
const without = [
  'node-base',
  'box',
  'postgres',
  'variants',
  'control-plane-variants',
  'floods-log',
  'hostile-output',
  'waits-for-clients',
  'cases',
];

/** Images that are judged. */
const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, 'Dockerfile')))
  .map((entry) => entry.name)
  .filter((name) => !without.includes(name));

const expectedOf = (name: string): Expected =>
  parse(readFileSync(join(import.meta.dirname, name, 'expected.yaml'), 'utf8')) as Expected;

const good = [
  'reference',
  'trapped-entrypoint',
  'workers-leave-first',
  'handles-hup',
  'control-plane',
  'needs-database',
  'clears-up',
  'queues-requests',
  'limits-connections',
];

describe('expected.yaml', () => {
  it.each(names)('of %s says why, and speaks only of judged clauses of its preset', (name) => {
    const { preset, why, clauses: outcomes } = expectedOf(name);
    const judged = Object.entries(levelsOf({ name: preset })).flatMap(([id, level]) => (level === '-' ? [] : [id]));
    expect(Object.keys(outcomes).filter((id) => !judged.includes(id))).toEqual([]);
    expect(Object.keys(outcomes).length).toBeGreaterThan(0);
    expect(why).toMatch(/\S/);
  });

  it('of the reference speaks of every judged clause, and each passes', () => {
    const judged = clauses.filter((clause) => clause.levels['light-fabric'] !== '-').map((clause) => clause.id);
    expect(expectedOf('reference').clauses).toEqual(Object.fromEntries(judged.map((id) => [id, 'pass'])));
  });

  it.each(names)('of %s knows no outcome but pass, fail and not exercised: nothing is inconclusive', (name) => {
    const { clauses: outcomes, engines = {} } = expectedOf(name);
    const all = [outcomes, ...Object.values(engines)].flatMap((some) => Object.values(some));
    expect(all.filter((outcome) => !['pass', 'fail', 'not exercised'].includes(outcome))).toEqual([]);
  });

  it.each(names)('of %s fails something exactly if it is a broken image', (name) => {
    expect(Object.values(expectedOf(name).clauses).includes('fail')).toBe(!good.includes(name));
  });

  it('shows every clause of light-fabric failing on some image or variant', () => {
    const failing = new Set([
      ...names.flatMap((name) =>
        Object.entries(expectedOf(name).clauses)
          .filter(([, outcome]) => outcome === 'fail')
          .map(([id]) => id),
      ),
      ...variants.flatMap((variant) => variant.clauses),
    ]);
    const judged = clauses.filter((clause) => clause.levels['light-fabric'] !== '-').map((clause) => clause.id);
    // recorded, never judged: it says beside IMG-5 what the same stop did behind an init
    expect(judged.filter((id) => !failing.has(id))).toEqual(['IMG-5-init']);
  });
});
