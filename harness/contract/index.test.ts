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
    // a family may be spread over several files, with one that gathers it
    const ids = [...new Set(exported)].map((clause) => clause.id).toSorted();
    expect(ids).toEqual(clauses.map((clause) => clause.id).toSorted());
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
    ['SIG-5', 'M', 'M', 'M'],
    ['SIG-6', 'M', 'M', 'S'],
    ['SIG-6-close', 'r', 'r', '-'],
    ['SIG-7', 'M', 'M', '-'],
    ['SIG-8', 'M', 'M', 'M'],
    ['SIG-9', 'S', 'S', 'S'],
    ['SIG-1-fast', '-', 'S', 'S'],
    ['SIG-2-fast', '-', 'S', 'r'],
    ['SIG-3-fast', '-', 'S', '-'],
    ['STA-1', 'M', 'M', 'S'],
    ['STA-2', 'M', '-', 'r'],
    ['STA-3', 'M', '-', '-'],
    ['STA-4', 'M', 'M', 'S'],
    ['STA-5', 'M', '-', '-'],
    ['STA-6', 'M', '-', '-'],
    ['STA-7', 'M', '-', '-'],
    ['STA-8', 'M', 'M', 'S'],
    ['STA-9', 'S', 'S', 'S'],
    ['STA-10', 'M', '-', '-'],
    ['STA-11', 'M', 'M', 'M'],
    ['DLN-2', 'M', 'M', '-'],
    ['IMG-4', 'S', 'S', 'S'],
    ['IMG-4-init', 'M', 'M', 'S'],
    ['IMG-5-init', 'r', 'r', 'r'],
    ['ADM-1', 'M', '-', 'r'],
    ['ADM-2', 'M', '-', 'r'],
    ['ADM-3', 'M', '-', '-'],
    ['ADM-4', 'M', '-', 'r'],
    ['ADM-5', 'M', 'S', 'S'],
    ['ADM-6', 'M', '-', 'r'],
    ['ADM-6-live', '-', '-', 'S'],
    ['ADM-7', 'M', '-', '-'],
    ['ADM-8', 'M', '-', 'S'],
    ['ADM-9', 'M', '-', 'r'],
    ['DRN-1', 'M', '-', 'S'],
    ['DRN-2', 'M', '-', 'S'],
    ['DRN-3', 'M', '-', 'S'],
    ['DRN-4', 'M', '-', 'S'],
    ['DRN-5', 'M', 'M', 'S'],
    ['DRN-6', 'M', 'M', 'S'],
    ['DRN-7', 'S', '-', 'S'],
    ['DRN-8', 'S', '-', 'S'],
    ['DRN-9', 'M', 'M', 'S'],
    ['DRN-9-fast', 'S', 'S', 'S'],
    ['WSS-1', 'M', 'M', 'S'],
    ['WSS-2', 'S', 'M', 'S'],
    ['WSS-3', 'S', 'M', 'r'],
    ['WSS-4', 'S', 'M', '-'],
    ['WSS-5', 'M', 'M', 'S'],
    ['WSS-6', 'M', 'M', 'S'],
    ['WSS-7', '-', 'M', '-'],
    ['DLN-1', 'M', 'M', '-'],
    ['DLN-3', 'M', 'S', '-'],
    ['DLN-4', 'M', 'M', '-'],
    ['DLN-5', 'M', 'M', '-'],
    ['DLN-6', 'M', '-', '-'],
    ['DLN-7', 'M', 'M', 'S'],
    ['CFG-3', 'M', '-', '-'],
    ['OBS-3', 'M', 'S', '-'],
    ['OBS-4', 'M', 'M', 'S'],
    ['RST-1', 'r', 'r', 'S'],
    ['RST-2', 'r', 'r', 'S'],
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
