import { expect, it } from 'vitest';
import { renderJson } from './json.ts';
import { comparedStop, hostile, report, target, verdict, windowSummary } from './testing/literal-report.ts';

it('keys come in one order, whatever order the report was built in', () => {
  const given = report([target([verdict('SIG-1', 'pass')])], 0);
  const reversed = Object.fromEntries(Object.entries(given).reverse()) as unknown as typeof given;
  const text = renderJson(reversed);
  expect(text).toBe(renderJson(given));
  expect(Object.keys(JSON.parse(text))).toEqual([
    'format',
    'run',
    'startedAt',
    'harness',
    'clauseSet',
    'strict',
    'summary',
    'effort',
    'engines',
    'notJudged',
    'health',
    'faults',
    'targets',
    'directory',
    'presets',
  ]);
  expect(Object.keys(JSON.parse(text).targets[0].verdicts[0])).toEqual([
    'outcome',
    'engine',
    'image',
    'clause',
    'title',
    'requirement',
    'level',
    'required',
    'seen',
    'accepted',
    'findings',
    'failing',
    'samples',
  ]);
});

it('the whole report comes back, hostile text and keys included', () => {
  const logs = JSON.parse(`{ "__proto__": ${JSON.stringify(hostile)} }`);
  const given = report([target([verdict('SIG-1', 'fail', 'M', { seen: hostile })], { logs })], 1);
  const text = renderJson(given);
  expect(JSON.parse(text)).toEqual(given);
  expect(text).toContain('"__proto__"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

it('windows are intervals in numbers, and stand with the stops before the verdicts', () => {
  const more = {
    windows: [windowSummary()],
    stops: [comparedStop('signal', 9.4)],
    tls: { port: 8443, verified: false },
  };
  const [shown] = JSON.parse(renderJson(report([target([verdict('SIG-1', 'pass')], more)], 0))).targets;
  expect(shown).toMatchObject(more);
  expect(shown.windows[0].times.gateClosed).toEqual({ fromMs: -1.2, toMs: 2.3 });
  const keys = Object.keys(shown);
  expect(keys.filter((key) => ['tls', 'stops', 'windows', 'verdicts'].includes(key))).toEqual([
    'tls',
    'stops',
    'windows',
    'verdicts',
  ]);
});
