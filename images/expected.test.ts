import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { clauses, levelsOf } from '../harness/contract/index.ts';
import type { PresetName } from '../harness/model/clause.ts';

type Expected = {
  readonly preset: PresetName;
  readonly why: string;
  readonly clauses: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** Images that are judged: a base image has no expectations. */
const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(import.meta.dirname, entry.name, 'Dockerfile')))
  .map((entry) => entry.name)
  .filter((name) => name !== 'node-base');

const expectedOf = (name: string): Expected =>
  parse(readFileSync(join(import.meta.dirname, name, 'expected.yaml'), 'utf8')) as Expected;

const good = ['reference', 'workers-leave-first', 'handles-hup'];

describe('expected.yaml', () => {
  it.each(names)('of %s says why, and something about every judged clause of its preset', (name) => {
    const { preset, why, clauses: outcomes } = expectedOf(name);
    const judged = Object.entries(levelsOf({ name: preset })).filter(([, level]) => level !== '-');
    expect(Object.keys(outcomes).sort()).toEqual(judged.map(([id]) => id).sort());
    expect(why).toMatch(/\S/);
  });

  it.each(names)('of %s knows no outcome but pass, fail and not exercised: nothing is inconclusive', (name) => {
    const { clauses: outcomes, engines = {} } = expectedOf(name);
    const all = [outcomes, ...Object.values(engines)].flatMap((some) => Object.values(some));
    expect(all.filter((outcome) => !['pass', 'fail', 'not exercised'].includes(outcome))).toEqual([]);
  });

  it.each(names)('of %s fails something exactly if it is a broken image', (name) => {
    expect(Object.values(expectedOf(name).clauses).includes('fail')).toBe(!good.includes(name));
  });

  it('shows every clause of light-fabric failing on some image', () => {
    const lightFabric = names.filter((name) => expectedOf(name).preset === 'light-fabric');
    const failing = new Set(
      lightFabric.flatMap((name) =>
        Object.entries(expectedOf(name).clauses)
          .filter(([, outcome]) => outcome === 'fail')
          .map(([id]) => id),
      ),
    );
    const judged = clauses.filter((clause) => clause.levels['light-fabric'] !== '-').map((clause) => clause.id);
    expect(judged.filter((id) => !failing.has(id))).toEqual([]);
  });
});
