import { describe, expect, it } from 'vitest';
import type { SweepSummary } from '../model/report.ts';
import { renderConsole } from './console.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';
import { report, target, verdict } from './testing/literal-report.ts';

const sweep: SweepSummary = {
  clause: 'STA-9',
  scenario: 'startup/sweep',
  column: 'offset',
  others: '-',
  toMs: 25,
  steps: [
    { valueMs: 150, at: { fromMs: 150.4, toMs: 180.2 }, shows: 'lost', histories: ['cells/a'] },
    { valueMs: 206, at: { fromMs: 212.4, toMs: 239.1 }, shows: 'lost', added: true, histories: ['cells/b'] },
    { valueMs: 600, at: { fromMs: 600.8, toMs: 640 }, shows: 'heard', histories: ['cells/c'] },
  ],
};
const said = 'STA-9 by offset: lost at 212..240 ms and before, heard from 600..640 ms on (startup/sweep, 1 cell added)';
const judged = report([target([verdict('STA-9', 'pass', 'S'), verdict('SIG-1', 'pass')], { sweeps: [sweep] })], 0);

describe('the bracket of a sweep', () => {
  it('is a line of the console, with its engine', () => {
    expect(renderConsole(judged, { width: 200 })).toMatch(new RegExp(`^ +sweep +docker: ${escaped(said)}$`, 'm'));
  });

  it('stands beside the clause as a property of JUnit, and beside no other', () => {
    const xml = renderJunit(judged);
    expect(xml).toContain(`<property name="STA-9.bracket" value="${said}"/>`);
    expect(xml).not.toContain('SIG-1.bracket');
  });

  it('is in JSON with every step', () => {
    const { targets } = JSON.parse(renderJson(judged)) as { targets: { sweeps: unknown }[] };
    expect(targets[0]?.sweeps).toEqual([sweep]);
  });
});

function escaped(text: string): string {
  return text.replace(/[.()]/g, '\\$&');
}
