import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scenarioFolder } from '../../harness/cli/package-info.ts';
import { loadScenarios } from '../../harness/cli/scenario-files.ts';
import { select } from '../../harness/cli/selection.ts';
import type { PresetName } from '../../harness/model/clause.ts';
import type { ImageFacts } from '../../harness/model/engine.ts';
import { planTarget } from '../../harness/run/plan.ts';
import { resolveTarget } from '../../harness/run/resolve-target.ts';
import { smoke, smokeOf } from '../variant-subjects.ts';
import { faults } from './faults.ts';
import { variants } from './variants.ts';

const numbered = (family: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${family}-${index + 1}`);

describe('the table of variants', () => {
  it('has every fault of the image, once', () => {
    expect(variants.map(({ fault }) => fault).sort()).toEqual(Object.keys(faults).sort());
  });

  it('has a fault for every clause of the window, the drain, the deadline, second signals, start-up and WebSockets', () => {
    const failing = new Set(variants.flatMap(({ clauses }) => clauses));
    const wanted = [
      ...numbered('ADM', 9),
      ...numbered('DRN', 9),
      ...numbered('DLN', 7),
      'DRN-9-fast',
      'CFG-3',
      'IMG-4',
      ...['SIG-5', 'SIG-6', 'SIG-7', 'SIG-8', 'SIG-9'],
      ...['STA-2', 'STA-3', 'STA-4', 'STA-5', 'STA-6', 'STA-7', 'STA-10', 'STA-11'],
      ...numbered('WSS', 6),
    ];
    expect(wanted.filter((id) => !failing.has(id))).toEqual([]);
  });

  it('has a fault for every kind of connection that does not go on', () => {
    const kinds = variants.flatMap(({ where }) => /^drain\/stalled:kind=(.+)$/.exec(where)?.slice(1) ?? []).sort();
    const all = [
      'half-body',
      'half-closed',
      'half-headers',
      'half-request-line',
      'half-tls-handshake',
      'reader-stops',
      'silent',
    ];
    expect(kinds).toEqual(all);
  });

  it.each(variants)('names for $fault only what else there is in the smoke set', ({ clauses, alsoFails }) => {
    expect(alsoFails.filter((id) => !smoke.includes(id) || clauses.includes(id))).toEqual([]);
  });

  it('keeps the names of both subjects of a variant apart', () => {
    const names = variants.flatMap(({ fault }) => [fault, smokeOf(fault)]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(variants)('says of $fault why it is wrong', ({ why }) => {
    expect(why).toMatch(/^\S.{10,}/);
  });
});

describe('the cells in which faults show', () => {
  const dockerfile = readFileSync(new URL('../reference/Dockerfile', import.meta.url), 'utf8');
  const labels = Object.fromEntries(
    [...dockerfile.matchAll(/^LABEL ([\w.-]+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
  const facts: ImageFacts = {
    reference: 'reference',
    digest: 'sha256:1',
    entrypoint: ['/bin/node'],
    command: [],
    user: '',
    stopSignal: { value: 'TERM', origin: 'engine default' },
    exposedPorts: [8080],
    labels,
    hasHealthcheck: false,
    repoDigests: [],
  };

  it('are those that a run on the reference has, where nothing is chosen', async () => {
    const { scenarios } = await loadScenarios(scenarioFolder);
    const selection = { scenario: () => true, cell: () => true, clause: () => true };
    const cellsUnder = (preset: PresetName) => {
      const flags = { env: {}, require: [], preset };
      const { target, basis } = resolveTarget({ facts, flags, selection, judgedOn: '2026-01-01' });
      return planTarget({ engine: 'docker', target, facts, basis, scenarios, selection, repeat: 1 }).cells;
    };
    const unplanned = variants.filter(({ where, preset = 'light-fabric' }) => {
      const shows = select([where], [], scenarios);
      return !cellsUnder(preset).some(({ scenario, cell }) => shows.scenario(scenario) && shows.cell(scenario, cell));
    });
    expect(unplanned.map(({ fault, where }) => `${fault}: ${where}`)).toEqual([]);
  });
});
