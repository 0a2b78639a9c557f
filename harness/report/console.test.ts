import { describe, expect, it } from 'vitest';
import { plain } from './colours.ts';
import { renderConsole } from './console.ts';
import { terminalText } from './terminal-text.ts';
import { comparedStop, finding, hostile, report, target, verdict, windowSummary } from './testing/literal-report.ts';

const failing = verdict('SIG-1', 'fail', 'M', {
  seen: 'still alive after 10000 ms; the harness sent SIGKILL',
  failing: 2,
  samples: 3,
  findings: [finding('fail', { measured: { valueMs: 10_003.2, lowMs: 10_003, highMs: 10_003.5, by: 'host' } })],
});

describe('renderConsole', () => {
  it('puts verdict, MUST count, inconclusive rate and place of the report on the last line', () => {
    const text = renderConsole(report([target([failing])], 1, { summary: { inconclusiveRate: 0.0512 } }));
    expect(text.endsWith('\n')).toBe(true);
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      'NOT QUALIFIED · MUST 12/13 exercised · 5.1 % inconclusive · report reports/20260802-101112-abc123/',
    );
  });

  it('shows clauses by engine, then what failed with requirement, accepted, seen and evidence', () => {
    const podman = target([verdict('SIG-1', 'pass'), verdict('DRN-8', 'fail', 'S')], { engine: 'podman' });
    const text = renderConsole(report([target([failing, verdict('DRN-8', 'inconclusive', 'S')]), podman], 1));
    expect(text).toMatch(/^clause +docker +podman$/m);
    expect(text).toMatch(/^SIG-1 +M +a signal.* FAIL 10003\.2 ms +pass 31\.2 ms$/m);
    expect(text).toContain('terms        primarySignal TERM, grace 2000 ms [profile], floor 250 ms,');
    expect(text).toContain(`FAILED SIG-1 a signal with nothing in flight ends the service ·
  example/service:1 on docker · MUST
  requirement  SIGTERM with nothing in flight ends the service as the preset
               says
  accepted     exit 0 within 1000 ms
  seen         still alive after 10000 ms; the harness sent SIGKILL
  measured     10003.2 ms (10003 to 10003.5 ms, host clock), limit 1000 ms
  samples      2 of 3 samples failed
  evidence     cells/docker/example__service+1/signal__idle/signal=TERM/r1-s1
               #12 #14
`);
    expect(text).toMatch(/^SHOULD FAILED DRN-8 /m);
    expect(text).toContain('does not decide without --strict');
    expect(text).toMatch(/^INCONCLUSIVE DRN-8 /m);
  });

  it('a strict run does not call a SHOULD failure soft, and a recorded clause is no failure at all', () => {
    const text = renderConsole(
      report([target([verdict('DRN-8', 'fail', 'S'), verdict('SIG-2', 'fail', 'r')])], 1, { strict: true }),
    );
    expect(text).toMatch(/^FAILED DRN-8 /m);
    expect(text).not.toMatch(/FAILED SIG-2/);
  });

  it('shows the TLS way in, the stops beside each other and the windows, an engine each, what explains after the clauses', () => {
    const more = {
      tls: { port: 8443, verified: true },
      stops: [comparedStop('signal', 9.4), comparedStop('stop default', 12)],
      windows: [windowSummary()],
    };
    const verdicts = [verdict('SIG-1', 'pass')];
    const podman = target(verdicts, { engine: 'podman', windows: [windowSummary({ cell: 'over=h2', kept: 16 })] });
    const text = renderConsole(report([target(verdicts, more), podman], 0), { width: 200 });
    expect(text).toContain('\n  tls          :8443, certificate verified with the CA given\n');
    expect(text).toContain('\n  stops        docker: TERM 9.4 ms exit 0 · engine stop default 12 ms exit 0\n');
    expect(text).toContain(
      '\n  window       docker window/acknowledged: signal -1.9..0, last 2xx -2.6..-2, gate closed',
    );
    expect(text).toContain('\n               48 kept, 2 closed while idle, 41 requests on them: 40 answered, ');
    expect(text).toContain('\n  window       podman window/acknowledged over=h2: signal');
    expect(text.indexOf('tls  ')).toBeLessThan(text.search(/^clause/m));
    expect(text.indexOf('48 kept')).toBeGreaterThan(text.search(/^clause/m));
    expect(text.match(/^ {2}(tls|stops|window) /gm)).toHaveLength(4);
  });

  it('says of an emulated image, by engine, that nothing about time is judged', () => {
    const emulated = target([failing], { emulation: 'linux/arm64 emulated on amd64' });
    const text = renderConsole(report([target([failing], { engine: 'podman' }), emulated], 1), { width: 200 });
    const line = '\n  platform     docker: linux/arm64 emulated on amd64: nothing about time is judged\n';
    expect(text).toContain(line);
    expect(text.match(/^ {2}platform/gm)).toHaveLength(1);
  });

  it('shows none of them where there are none', () => {
    expect(renderConsole(report([target([failing])], 1))).not.toMatch(/^ {2}(tls|stops|window) /m);
  });

  it('groups what was not exercised by reason, and names waivers, engines, faults and reasons', () => {
    const verdicts = [
      verdict('ADM-1', 'not exercised', 'M', { seen: 'no http port is known', declare: 'port: 8080', required: true }),
      verdict('ADM-2', 'not exercised', 'M', { seen: 'no http port is known', declare: 'port: 8080' }),
      verdict('IMG-3', 'waived', 'M', {
        waiver: { reason: 'known', expires: '2026-12-31', expired: false, would: 'fail' },
      }),
    ];
    const text = renderConsole(
      report([target(verdicts)], 70, {
        health: [
          {
            engine: 'docker',
            selfTest: { ok: true, seen: '7, 137' },
            control: { expectedMs: 250, measuredMs: 250.42, errorMs: 0.42 },
          },
        ],
        notJudged: [
          { engine: 'podman', address: 'unix:///run/p.sock', origin: 'well-known socket', failure: 'ENOENT' },
        ],
        faults: [{ where: 'interrupted', message: 'SIGINT' }],
        summary: { reasons: ['interrupted by SIGINT'] },
      }),
    );
    expect(text).toContain('ADM-1 (required), ADM-2: no http port is known; declare port: 8080');
    expect(text).toContain('IMG-3 on docker until 2026-12-31: known (would be fail)');
    expect(text).toContain('self-test ok (7, 137) · control 250 ms');
    expect(text).toContain('engine podman not judged: unix:///run/p.sock (well-known socket): ENOENT');
    expect(text).toContain('FAULT interrupted: SIGINT\n\nFAULT · MUST');
  });

  it.each([60, 80, 120])('nothing but whole words and the last line is wider than %i columns', (width) => {
    const engines = ['docker', 'podman', 'fake', 'docker-2'].map((engine) => target([failing], { engine }));
    const lines = renderConsole(report(engines, 1), { width }).trimEnd().split('\n').slice(0, -1);
    expect(lines.filter((line) => line.length > width && / \S+ /.test(line.slice(width - 20)))).toEqual([]);
  });

  it('hostile text reaches neither the terminal nor a workflow command nor the last line', () => {
    const bad = verdict('SIG-1', 'fail', 'M', {
      title: hostile,
      requirement: hostile,
      seen: hostile,
      accepted: [hostile],
    });
    const given = report(
      [
        target([bad, verdict('SIG-2', 'not exercised', 'M', { seen: hostile })], {
          image: hostile,
          windows: [windowSummary({ cell: hostile, doubt: hostile })],
          stops: [
            comparedStop('signal', 9, { signal: hostile }),
            comparedStop('init', 9, { end: 'killed', why: hostile }),
          ],
        }),
      ],
      1,
      {
        directory: hostile,
        faults: [{ where: 'engine', message: hostile }],
      },
    );
    const text = renderConsole(given);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).not.toContain('##');
    expect(text).not.toMatch(/^\s*::/m);
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^NOT QUALIFIED · /);
  });

  it('colours are the caller’s: none unless given, and only words are painted', () => {
    expect(renderConsole(report([target([failing])], 1))).not.toContain('\u001b');
    const bad = (text: string): string => `<bad>${text}</bad>`;
    const text = renderConsole(report([target([failing])], 1), { colours: { ...plain, bad } });
    expect(text).toMatch(/<bad>FAILED<\/bad> SIG-1/);
    expect(text).toMatch(/<bad>NOT QUALIFIED<\/bad> · MUST/);
  });
});

it.each([
  ['colour sequences go whole', '\u001b[1;31mred\u001b[0m', 'red'],
  ['window titles go whole', 'a\u001b]0;title\u0007b', 'ab'],
  ['an open sequence hides nothing', '\u001b]0;a b\u001b', ']0;a b'],
  ['line breaks are shown', 'a\r\n  b', 'a ⏎ b'],
  ['a workflow command is broken up', '::set-output x ##[error]', ': :set-output x # #[error]'],
  ['ordinary text stays', 'std::string 10 µs – é 😀', 'std::string 10 µs – é 😀'],
])('terminalText: %s', (_, given, expected) => {
  expect(terminalText(given)).toBe(expected);
});
