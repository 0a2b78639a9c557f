import { describe, expect, it } from 'vitest';
import type { Level } from '../harness/model/clause.ts';
import type { ReportedTarget } from '../harness/model/report.ts';
import type { Outcome, Verdict } from '../harness/model/verdict.ts';
import type { GalleryServer } from '../images/gallery/gallery.ts';
import { familyWord, galleryTable } from './gallery-table.ts';

const verdict = (clause: string, level: Level, outcome: Outcome): Verdict => ({
  engine: 'docker',
  image: 'nginx QUIT',
  clause,
  title: '',
  requirement: '',
  level,
  required: false,
  outcome,
  seen: 'a silent socket | held it',
  accepted: [],
  findings: [],
  failing: 0,
  samples: 1,
});

describe('the table of the gallery', () => {
  it.each<[string, readonly Verdict[]]>([
    ['FAIL', [verdict('DRN-1', 'M', 'fail'), verdict('DRN-2', 'S', 'pass')]],
    ['should', [verdict('DRN-1', 'M', 'pass'), verdict('DRN-6', 'S', 'fail')]],
    ['?', [verdict('DRN-1', 'S', 'inconclusive'), verdict('DRN-2', 'S', 'pass')]],
    ['pass', [verdict('DRN-1', 'S', 'not exercised'), verdict('DRN-2', 'S', 'pass'), verdict('ADM-9', 'r', 'fail')]],
    ['-', [verdict('ADM-9', 'r', 'fail')]],
  ])('says %s of a family by its worst judged clause', (word, verdicts) => {
    expect(familyWord(verdicts)).toBe(word);
  });

  it('has a row for each server, signal and engine, with what decided and the policy', () => {
    const server: GalleryServer = {
      name: 'nginx',
      server: 'nginx',
      documentation: '',
      byHand: '',
      subjects: [{ stopSignal: 'QUIT', why: '', clauses: {} }],
    };
    const target = {
      image: 'nginx QUIT',
      engine: 'docker',
      verdicts: [verdict('SIG-1', 'M', 'pass'), verdict('DRN-6', 'S', 'fail')],
      basis: { terms: { acceptedStatuses: [{ status: 0, reason: 'a stop exits 0' }] } },
    } as unknown as ReportedTarget;
    expect(galleryTable({ targets: [target] }, [server], () => '1.22').split('\n')).toEqual([
      '| server | version | signal | engine | SIG | DRN | what decided | accepted exit statuses |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| nginx | 1.22 | QUIT | docker | pass | should | DRN-6: a silent socket \\| held it | 0 (a stop exits 0) |',
    ]);
  });
});
