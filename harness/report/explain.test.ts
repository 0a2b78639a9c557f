import { expect, it } from 'vitest';
import type { Clause, Preset } from '../model/clause.ts';
import { explainClause } from './explain.ts';

const clause: Clause = {
  id: 'SIG-2',
  title: 'SIGINT ends the service',
  requirement: 'the same for SIGINT as for SIGTERM, with nothing in flight and without any help from outside',
  levels: { 'light-fabric': 'M', 'openab-cp': 'M', baseline: 'r' },
  needs: [],
  check: () => ({ outcome: 'pass', seen: '', accepted: [], evidence: [] }),
  explain: { measured: 'both clocks', breaks: 'no handler', remedy: 'install one' },
};
const preset = (name: Preset['name'], required: readonly string[]) =>
  ({ name, title: name, required }) as unknown as Preset;

it('explains requirement, level in each preset, measurement, usual cause and remedy within the width', () => {
  expect(
    explainClause(clause, [preset('light-fabric', ['SIG']), preset('openab-cp', []), preset('baseline', ['SIG'])]),
  ).toBe(
    `SIG-2 SIGINT ends the service

  requirement  the same for SIGINT as for SIGTERM, with nothing in flight and
               without any help from outside
  levels       light-fabric: MUST, required
               openab-cp: MUST
               baseline: recorded, not judged
  needs        nothing that must be declared
  measured     both clocks
  breaks       no handler
  remedy       install one
`,
  );
});
