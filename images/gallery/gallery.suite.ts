import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report, ReportedTarget } from '../../harness/model/report.ts';
import { qualifyMany } from '../../scripts/qualify-many.ts';
import type { GalleryServer } from './gallery.ts';
import { expectedOn, gallerySubjects, inWordsOf, subjectName } from './gallery.ts';

const engines = ['docker', 'podman'] as const;

/**
 * Qualifies these servers in one run, on both engines, and holds each verdict against what their files say.
 * `LFQ_GALLERY_OUT` names a folder in which the run is kept, for `scripts/gallery-table.ts`.
 */
export function judgesAsWritten(servers: readonly GalleryServer[]): void {
  describe('strangers, of which nothing is declared', () => {
    const kept = process.env['LFQ_GALLERY_OUT'];
    let folder: string;
    let report: Report;
    beforeAll(async () => {
      folder = kept ?? (await mkdtemp(join(tmpdir(), 'lf-qualify-gallery-')));
      report = await qualifyMany({
        subjects: (scenarios) => gallerySubjects(servers, scenarios),
        engines,
        jobs: 6,
        repeat: 1,
        out: folder,
      });
    });
    afterAll(async () => {
      if (kept === undefined) await rm(folder, { recursive: true, force: true });
    });
    const targetOf = (name: string, engine: string): ReportedTarget => {
      const target = report.targets.find((one) => one.image === name && one.engine === engine);
      if (target === undefined) throw new Error(`no verdicts on ${name} under ${engine}`);
      return target;
    };
    const rows = servers.flatMap((server) => server.subjects.map((subject) => ({ server, subject })));
    const cases = rows.flatMap(({ server, subject }) =>
      engines.map((engine) => ({ name: subjectName(server, subject), engine, server, subject })),
    );

    it('breaks nothing', () => {
      expect(report.faults).toEqual([]);
      expect(report.targets).toHaveLength(cases.length);
    });

    it.each(cases)('$name comes out as its documentation and its behaviour say on $engine', (one) => {
      const { verdicts } = targetOf(one.name, one.engine);
      const expected = expectedOn(one.subject, one.engine);
      const said = verdicts.map(({ clause, outcome, seen }) => `${clause} ${outcome}: ${seen}`).join('\n');
      const outcomes = Object.fromEntries(
        verdicts.flatMap(({ clause, outcome }) =>
          clause in expected ? [[clause, inWordsOf(expected[clause], outcome)]] : [],
        ),
      );
      expect(outcomes, `${one.name} on ${one.engine}\n${said}`).toEqual(expected);
    });

    it.each(cases)('$name is given its signal, and the statuses that its server ends well with, on $engine', (one) => {
      const { basis, facts } = targetOf(one.name, one.engine);
      expect(basis.preset).toBe('baseline');
      expect(facts.stopSignal.value).toBe(one.subject.stopSignal);
      const accepted = basis.terms.acceptedStatuses.map(({ status }) => status);
      expect(accepted).toEqual([0, ...(one.server.accept ?? [])]);
    });
  });
}
