import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Report } from '../model/report.ts';
import { renderJunit } from './junit.ts';
import { comparedStop, finding, hostile, report, target, verdict, windowSummary } from './testing/literal-report.ts';

const schema = readFileSync(new URL('./testing/jenkins-junit-10.xsd', import.meta.url), 'utf8');

async function schemaErrors(xml: string): Promise<readonly string[]> {
  const result = await validateXML({ xml: [{ fileName: 'junit.xml', contents: xml }], schema: [schema] });
  return result.errors.map(({ message }) => message);
}

const count = (xml: string, pattern: RegExp): number => xml.match(pattern)?.length ?? 0;
const isRed = (xml: string): boolean => count(xml, /<(failure|error)[ >]/g) > 0;

const broken = { where: 'engine', engine: 'docker', message: `daemon gone ${hostile}`, history: 'cells/x' } as const;
const candidate = { engine: 'podman', address: 'unix:///run/podman/podman.sock', origin: 'well-known socket' } as const;
const waiver = { reason: hostile, expires: '2026-12-31', expired: false, would: 'fail' } as const;

const cases: readonly [string, Report][] = [
  ['everything passes', report([target([verdict('SIG-1', 'pass')])], 0)],
  ['a MUST clause fails', report([target([verdict('SIG-1', 'fail')])], 1)],
  ['a SHOULD clause fails', report([target([verdict('DRN-8', 'fail', 'S')])], 0)],
  ['a SHOULD clause fails, strict', report([target([verdict('DRN-8', 'fail', 'S')])], 1, { strict: true })],
  ['a recorded clause fails', report([target([verdict('SIG-2', 'fail', 'r')])], 0)],
  ['a recorded clause is inconclusive', report([target([verdict('SIG-2', 'inconclusive', 'r')])], 0)],
  ['a MUST clause is inconclusive', report([target([verdict('SIG-1', 'inconclusive')])], 2)],
  ['a SHOULD clause is inconclusive and decides', report([target([verdict('DRN-8', 'inconclusive', 'S')])], 2)],
  ['a SHOULD clause is inconclusive and does not', report([target([verdict('DRN-8', 'inconclusive', 'S')])], 0)],
  ['a clause is waived', report([target([verdict('SIG-1', 'waived', 'M', { waiver })])], 0)],
  ['a required clause was not exercised', report([target([verdict('SIG-1', 'not exercised')])], 2)],
  ['nothing was judged', report([], 3)],
  ['an engine was lost', report([], 70, { faults: [broken] })],
  ['an engine was not found', report([target([verdict('SIG-1', 'pass')])], 0, { notJudged: [candidate] })],
  [
    'a self-test failed',
    report([], 70, { health: [{ engine: 'docker', selfTest: { ok: false, seen: 'exit 7 read as 0' } }] }),
  ],
  [
    'everything is hostile',
    report(
      [
        target(
          [
            verdict('SIG-1', 'fail', 'M', { title: hostile, requirement: hostile, seen: hostile, accepted: [hostile] }),
            verdict('SIG-2', 'not exercised', 'M', { seen: hostile, declare: hostile }),
          ],
          { image: hostile, logs: { [finding('fail').history]: hostile } },
        ),
      ],
      1,
      { run: hostile, directory: hostile, faults: [broken, broken] },
    ),
  ],
];

describe('renderJunit', () => {
  it.each(cases)(
    'is valid against the Jenkins schema and red exactly when the exit code is not 0: %s',
    async (_, given) => {
      const xml = renderJunit(given);
      expect(await schemaErrors(xml)).toEqual([]);
      expect(isRed(xml)).toBe(given.summary.exitCode !== 0);
    },
  );

  it.each([
    ['an unknown attribute', (xml: string) => xml.replace('<testcase ', '<testcase status="x" ')],
    ['properties in a test case', (xml: string) => xml.replace('</testcase>', '<properties/></testcase>')],
    ['a case without a name', (xml: string) => xml.replace(/ name="SIG-1 [^"]*"/, '')],
    ['a time that is none', (xml: string) => xml.replace(/(<testsuite [^>]*time=)"[^"]*"/, '$1"fast"')],
    ['a control character', (xml: string) => xml.replace('listening', 'listening\u0001')],
    ['an open element', (xml: string) => xml.replace('</testsuites>', '')],
  ])('the validation refuses a document with %s', async (_, damage) => {
    const xml = renderJunit(report([target([verdict('SIG-1', 'fail')])], 1));
    const damaged = damage(xml);
    expect(damaged).not.toBe(xml);
    expect(await schemaErrors(damaged)).not.toEqual([]);
  });

  it('counts what it holds, in every suite and in all', () => {
    const verdicts = [
      verdict('SIG-1', 'fail'),
      verdict('SIG-2', 'inconclusive'),
      verdict('SIG-3', 'not exercised'),
      verdict('STA-1', 'pass'),
    ];
    const xml = renderJunit(report([target(verdicts)], 1));
    expect(xml).toContain('<testsuites name="lf-qualify" tests="6" failures="1" errors="1">');
    expect(xml).toMatch(/<testsuite name="example\/service:1 on docker" tests="4" failures="1" errors="1" skipped="1"/);
    expect(xml).toMatch(/<testsuite name="lf-qualify" tests="2" failures="0" errors="0" skipped="0"/);
  });

  it('gives every case a name of its own, also for images whose names become the same', () => {
    const twice = [verdict('SIG-1', 'pass'), verdict('SIG-1', 'pass')];
    const xml = renderJunit(
      report([target(twice, { image: 'a.b' }), target(twice, { image: 'a_b' })], 70, { faults: [broken, broken] }),
    );
    const names = [...xml.matchAll(/<testcase (classname="[^"]*" name="[^"]*")/g)].map((match) => match[1]);
    expect(names).toHaveLength(8);
    expect(new Set(names).size).toBe(names.length);
  });

  it('shows a failure with requirement, accepted, seen, measurement, samples and evidence', () => {
    const failed = verdict('SIG-1', 'fail', 'M', {
      seen: 'killed after 10 s',
      failing: 2,
      samples: 3,
      findings: [finding('pass'), finding('fail', { evidence: [7], history: 'cells/second' })],
    });
    const xml = renderJunit(report([target([failed], { logs: { 'cells/second': 'last words' } })], 1));
    expect(xml).toContain(`<failure type="failure" message="${failed.requirement}">clause: SIG-1 (MUST)
requirement: ${failed.requirement}
accepted: exit 0 within 1000 ms
seen: killed after 10 s
measured: 31.2 ms (31 to 31.5 ms, host clock)
limit: 1000 ms
samples: 2 of 3 samples failed
evidence: cells/second #7</failure>`);
    expect(xml).toContain('<system-out>log of cells/second:\nlast words</system-out>');
  });

  it('says in the message why a case is skipped and never red', () => {
    const xml = renderJunit(
      report(
        [
          target([
            verdict('DRN-8', 'fail', 'S'),
            verdict('SIG-2', 'fail', 'r'),
            verdict('ADM-1', 'not exercised', 'M', { seen: 'no http', declare: 'port: 8080' }),
            verdict('IMG-3', 'waived', 'M', { waiver: { ...waiver, reason: 'known' } }),
          ]),
        ],
        0,
        {
          notJudged: [
            { ...candidate, failure: 'ENOENT' },
            { ...candidate, origin: 'CONTAINER_HOST' },
          ],
        },
      ),
    );
    expect([...xml.matchAll(/<skipped message="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'should-level failure: SIGTERM with nothing in flight ends the service as the preset says',
      'recorded, not judged: failure: SIGTERM with nothing in flight ends the service as the preset says',
      'not exercised: no http; declare: port: 8080',
      'waived until 2026-12-31: known (would be: fail)',
      'not judged: unix:///run/podman/podman.sock (well-known socket): ENOENT; ' +
        'unix:///run/podman/podman.sock (CONTAINER_HOST): answered',
    ]);
  });

  it('carries image, engine, preset, terms with origins and the numbers of each clause as properties', () => {
    const xml = renderJunit(report([target([verdict('SIG-1', 'pass')])], 0));
    const properties = Object.fromEntries(
      [...xml.matchAll(/<property name="([^"]*)" value="([^"]*)"/g)].map((match) => [match[1], match[2]]),
    );
    expect(properties).toMatchObject({
      'image.digest': `sha256:${'ab'.repeat(32)}`,
      'engine.version': '29.1.0',
      preset: 'light-fabric (profile)',
      'term.graceMs': '2000 ms (profile)',
      'term.floorMs': '250 ms (preset)',
      'SIG-1.level': 'M',
      'SIG-1.measured': '31.2 ms (31 to 31.5 ms, host clock)',
      'SIG-1.limit': '1000 ms',
    });
  });

  it('carries the windows of each repeat, the stops and the TLS way in as properties', () => {
    const windows = [windowSummary(), windowSummary({ repeat: 2, longestGapMs: 7 })];
    const stops = [comparedStop('signal', 9.4), comparedStop('init', 15)];
    const tls = { port: 8443, verified: false };
    const xml = renderJunit(report([target([verdict('SIG-1', 'pass')], { windows, stops, tls })], 0));
    for (const property of [
      'name="tls" value=":8443, certificate not verified: no CA is given"',
      'name="stops" value="TERM 9.4 ms exit 0 · TERM behind its init 15 ms exit 0"',
      'name="window/acknowledged.times" value="signal -1.9..0, last 2xx -2.6..-2, gate closed -1.2..2.3, ',
      'name="window/acknowledged.probe" value="48 kept, ',
      'name="window/acknowledged r2.times" value="signal ',
    ]) {
      expect(xml).toContain(property);
    }
    expect(xml).toMatch(/name="window\/acknowledged r2.probe" value="[^"]*longest gap 7 ms"/);
  });
});
