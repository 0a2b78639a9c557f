import { describe, expect, it } from 'vitest';
import { renderConsole } from './console.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { hostile, report, target, verdict } from './testing/literal-report.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const db = { alias: 'db', reference: 'postgres:15', digest, readyAfterMs: 1234, log: 'x.log' };
const broken = { alias: 'cache', reference: 'redis:7', digest, failure: 'dependency cache ended', log: 'y.log' };
const withBoth = report([target([verdict('SIG-1', 'pass')], { dependencies: [db, broken] })], 0);
const words = [
  'db postgres:15 abababababab: ready after 1234 ms',
  'cache redis:7 abababababab: dependency cache ended',
];

describe('the dependencies of an image', () => {
  it.each(words)('are shown on the console, on a line of their own: %s', (line) => {
    const lines = renderConsole(withBoth, { width: 200 }).split('\n');
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^  needs +docker: ${line}$`)));
  });

  it.each(words)('are properties of the test suite: %s', (value) => {
    expect(renderJunit(withBoth)).toContain(`<property name="dependency.${value.split(' ')[0]}" value="${value}"`);
  });

  it('stand in the JSON as they are, and nowhere where there are none', () => {
    expect(JSON.parse(renderJson(withBoth)).targets[0].dependencies).toEqual([db, broken]);
    const without = report([target([verdict('SIG-1', 'pass')])], 0);
    expect(JSON.parse(renderJson(without)).targets[0]).not.toHaveProperty('dependencies');
    expect(renderConsole(without)).not.toMatch(/^ +needs /m);
  });

  it('forge no line with what they wrote', () => {
    const dependencies = [{ ...broken, failure: hostile }];
    const text = renderConsole(report([target([verdict('SIG-1', 'pass')], { dependencies })], 0), { width: 200 });
    expect(text).not.toContain('\u001b');
    expect(text.split('\n').filter((line) => /^ *::/.test(line))).toEqual([]);
  });
});
