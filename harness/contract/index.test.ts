import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Clause } from '../model/clause.ts';
import { clauseById, clauses, isRequired, levelsOf } from './index.ts';
import { presetByName, presets } from './presets/index.ts';

const isClause = (value: unknown): value is Clause =>
  typeof value === 'object' && value !== null && 'id' in value && 'check' in value;

describe('the list of clauses', () => {
  it('has a line for every clause that a file of this folder exports', async () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const modules = await Promise.all(
      files.map((name) => import(/* @vite-ignore */ `./${name}`) as Promise<Record<string, unknown>>),
    );
    const exported = modules.flatMap((module) => Object.values(module)).filter(isClause);
    expect(exported.map((clause) => clause.id).toSorted()).toEqual(clauses.map((clause) => clause.id).toSorted());
  });

  it('has each id once, found by it', () => {
    expect(new Set(clauses.map((clause) => clause.id)).size).toBe(clauses.length);
    for (const clause of clauses) expect(clauseById(clause.id)).toBe(clause);
    expect(clauseById('SIG-99')).toBeUndefined();
  });

  it.each(clauses.map((clause) => [clause.id, clause] as const))('%s explains itself', (_, clause) => {
    for (const text of [clause.title, clause.requirement, ...Object.values(clause.explain)]) {
      expect(text.length).toBeGreaterThan(10);
    }
  });
});

describe('levels', () => {
  it.each([
    ['IMG-1', 'M', 'M', 'M'],
    ['IMG-2', 'M', 'M', 'S'],
    ['IMG-3', 'M', 'M', 'S'],
    ['IMG-5', 'M', 'M', 'M'],
    ['IMG-6', 'M', 'M', 'M'],
    ['SIG-1', 'M', 'M', 'M'],
    ['SIG-2', 'M', 'M', 'r'],
    ['SIG-3', '-', 'M', '-'],
    ['SIG-4', 'M', 'S', '-'],
    ['SIG-1-fast', '-', 'S', 'S'],
    ['SIG-2-fast', '-', 'S', 'r'],
    ['SIG-3-fast', '-', 'S', '-'],
    ['STA-1', 'M', 'M', 'S'],
    ['STA-8', 'M', 'M', 'S'],
    ['DLN-2', 'M', 'M', '-'],
    ['OBS-3', 'M', 'S', '-'],
    ['OBS-4', 'M', 'M', 'S'],
  ])('%s is %s, %s, %s', (id, lf, cp, bl) => {
    const [a, b, c] = presets.map((preset) => levelsOf(preset)[id]);
    expect([a, b, c]).toEqual([lf, cp, bl]);
  });

  it('baseline requires only what needs no declaration', () => {
    const { required } = presetByName('baseline');
    const levels = levelsOf({ name: 'baseline' });
    const ids = clauses.map((clause) => clause.id).filter((id) => isRequired(id, levels[id] ?? '-', required));
    expect(ids).toEqual(['IMG-1', 'IMG-5', 'IMG-6', 'SIG-1']);
  });

  it('a required family asks for its M clauses only, a required id for itself', () => {
    expect(isRequired('SIG-1', 'M', ['SIG'])).toBe(true);
    expect(isRequired('SIG-1-fast', 'S', ['SIG'])).toBe(false);
    expect(isRequired('SIG-1-fast', 'S', ['SIG-1-fast'])).toBe(true);
    expect(presetByName('nonsense' as string)).toBeUndefined();
  });
});
