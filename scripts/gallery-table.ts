// The gallery's verdicts as a table: node scripts/gallery-table.ts RUN_DIR > reports/published/gallery.md
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { judgeDirectory } from '../harness/cli/finish.ts';
import { familyOf } from '../harness/contract/index.ts';
import type { Report, ReportedTarget } from '../harness/model/report.ts';
import type { Outcome, Verdict } from '../harness/model/verdict.ts';
import type { GalleryServer } from '../images/gallery/gallery.ts';
import { galleryServers, subjectName } from '../images/gallery/gallery.ts';

const root = join(import.meta.dirname, '..');

/** The worst first. */
const order: readonly Outcome[] = ['fail', 'inconclusive', 'waived', 'pass', 'not exercised'];

const words: Readonly<Record<Outcome, string>> = {
  fail: 'FAIL',
  inconclusive: '?',
  waived: 'waived',
  pass: 'pass',
  'not exercised': '-',
};

const isJudged = ({ level }: Verdict): boolean => level === 'M' || level === 'S';

/** What a family of clauses comes to: `FAIL` where a MUST fails, `should` where only a SHOULD does. */
export function familyWord(verdicts: readonly Verdict[]): string {
  const judged = verdicts.filter(isJudged);
  if (judged.some(({ outcome, level }) => outcome === 'fail' && level === 'M')) return 'FAIL';
  if (judged.some(({ outcome }) => outcome === 'fail')) return 'should';
  const worst = order.find((outcome) => judged.some((verdict) => verdict.outcome === outcome));
  return worst === undefined ? '-' : words[worst];
}

/** A cell of a table: no bar and no line end of its own. */
const cellOf = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');

/** What failed or stayed open, in words. */
function findingsOf(target: ReportedTarget): string {
  const deciding = target.verdicts.filter(
    (verdict) => isJudged(verdict) && (verdict.outcome === 'fail' || verdict.outcome === 'inconclusive'),
  );
  return deciding.map(({ clause, outcome, seen }) => `${clause}${outcome === 'fail' ? '' : ' ?'}: ${seen}`).join('; ');
}

const policyOf = ({ basis }: ReportedTarget): string =>
  basis.terms.acceptedStatuses.map(({ status, reason }) => `${status} (${reason})`).join(', ');

/**
 * The table of a run of the gallery as Markdown, one row for each server, signal and engine. `versionOf`: of a server what
 * it is made of, with versions.
 */
export function galleryTable(
  report: Pick<Report, 'targets'>,
  servers: readonly GalleryServer[],
  versionOf: (server: GalleryServer) => string,
): string {
  const families = [
    ...new Set(report.targets.flatMap(({ verdicts }) => verdicts.map(({ clause }) => familyOf(clause)))),
  ];
  const rows = servers.flatMap((server) =>
    server.subjects.flatMap((subject) =>
      report.targets
        .filter(({ image }) => image === subjectName(server, subject))
        .map((target) => {
          const ofFamily = (family: string): string =>
            familyWord(target.verdicts.filter(({ clause }) => familyOf(clause) === family));
          const said = [findingsOf(target), policyOf(target)];
          return [
            server.name,
            versionOf(server),
            subject.stopSignal,
            target.engine,
            ...families.map(ofFamily),
            ...said,
          ];
        }),
    ),
  );
  const head = ['server', 'version', 'signal', 'engine', ...families, 'what decided', 'accepted exit statuses'];
  const line = (cells: readonly string[]): string => `| ${cells.map(cellOf).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Versions as they were built: of Debian packages the newest archive in the cache, of npm packages what is pinned. */
function versionOnDisk({ name, packages = [] }: GalleryServer): string {
  const archives = (() => {
    try {
      return readdirSync(join(root, '.cache/debian/archives')).sort();
    } catch {
      return [];
    }
  })();
  const pinned = (() => {
    try {
      const text = readFileSync(join(root, 'images/gallery', name, 'package.json'), 'utf8');
      return (JSON.parse(text) as { dependencies?: Readonly<Record<string, string>> }).dependencies ?? {};
    } catch {
      return {};
    }
  })();
  const debian = packages.map((one) => {
    const archive = archives.findLast((file) => file.startsWith(`${one}_`));
    return `${one} ${decodeURIComponent(archive?.split('_')[1] ?? '?')}`;
  });
  return [...debian, ...Object.entries(pinned).map(([one, version]) => `${one} ${version}`)].join(', ');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error('usage: node scripts/gallery-table.ts RUN_DIR');
    process.exitCode = 64;
  } else {
    const report = await judgeDirectory(folder);
    const facts = report.health.map(({ engine }) => engine).join(' and ');
    console.log(`# Gallery

Servers of other people, of which nothing is declared, qualified by the preset baseline on ${facts || 'no engine'} (\`npm run test:gallery\`).
FAIL: a MUST clause fails; should: only a SHOULD clause does; -: not exercised; ?: inconclusive. Why each is right stands in
\`images/gallery/*/expected.yaml\`.

${galleryTable(report, galleryServers, versionOnDisk)}`);
  }
}
