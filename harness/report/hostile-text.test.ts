import { describe, expect, it } from 'vitest';
import { hostileTexts } from '../../images/hostile-output/hostile-texts.ts';
import type { Report } from '../model/report.ts';
import { renderConsole } from './console.ts';
import { formats } from './index.ts';
import { terminalLine, terminalLines, terminalText } from './terminal-text.ts';
import { comparedStop, finding, report, target, verdict, windowSummary } from './testing/literal-report.ts';

/** A report in which every text that may come from an image, an engine or a profile is this one. */
function saying(text: string): Report {
  const words = { title: text, requirement: text, seen: text, accepted: [text] };
  const waiver = { reason: text, expires: '2026-12-31', expired: false, would: 'fail' } as const;
  const failing = { ...finding('fail'), seen: text };
  return report(
    [
      target(
        [
          verdict('SIG-1', 'fail', 'M', words),
          verdict('SIG-2', 'inconclusive', 'M', words),
          verdict('SIG-4', 'not exercised', 'M', { ...words, declare: text }),
          verdict('OBS-3', 'waived', 'M', { ...words, waiver }),
          verdict('OBS-4', 'fail', 'M', { ...words, waiver: { ...waiver, expired: true }, findings: [failing] }),
        ],
        {
          image: text,
          logs: { [finding('fail').history]: `stdout: ${text.replace(/[\r\n]/g, ' ')}` },
          windows: [windowSummary({ cell: text, doubt: text })],
          stops: [comparedStop('signal', 9, { signal: text }), comparedStop('init', 9, { end: 'killed', why: text })],
          ready: { kind: 'log', pattern: text, origin: text },
        },
      ),
    ],
    1,
    {
      directory: text,
      run: text,
      faults: [{ where: 'engine', engine: 'docker', message: text }],
      notJudged: [{ engine: 'podman', address: text, origin: text, failure: text }],
    },
  );
}

const sinks: Readonly<Record<string, (text: string) => string>> = {
  ...Object.fromEntries(Object.values(formats).map(({ name, render }) => [name, (text) => render(saying(text))])),
  'console, narrow': (text) => renderConsole(saying(text), { width: 60 }),
  'a line on stderr': (text) => `lf-qualify: ${terminalText(text)}\n`,
  'a line that is set in': (text) => `${terminalLine(`  ${text}`)}\n`,
  'a message of several lines': (text) => `${terminalLines(text)}\n`,
};

describe.each(Object.entries(sinks))('hostile text in %s', (_, render) => {
  it.each(hostileTexts.map((text) => [text.slice(0, 60), text]))(
    '%j shows no character raw and is no command',
    (_name, text) => {
      const shown = render(text);
      expect(/[^\P{Cc}\n]|\p{Cf}|[\u2028\u2029]/u.exec(shown)?.[0]).toBeUndefined();
      expect(/##|^\s*::.*$/m.exec(shown)?.[0]).toBeUndefined();
      expect(shown.isWellFormed()).toBe(true);
    },
  );
});

describe('the words of an image', () => {
  it('cannot stand where a line of the report begins', () => {
    for (const text of hostileTexts) {
      const lines = renderConsole(saying(`x\n${text}`)).split('\n');
      expect(lines.filter((line) => /^(?:QUALIFIED|FAILED SIG-1 ends)/.test(line))).toEqual([]);
    }
  });

  it('come back whole from the JSON', () => {
    for (const text of hostileTexts) {
      const parsed = JSON.parse(formats['json']?.render(saying(text)) ?? '') as Report;
      expect(parsed.targets[0]?.verdicts[0]?.seen).toBe(text);
    }
  });
});
