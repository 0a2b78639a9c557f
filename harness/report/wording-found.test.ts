import { describe, expect, it } from 'vitest';
import type { Assumption, Discovery, ServerFact } from '../model/discovery.ts';
import { renderConsole } from './console.ts';
import { renderJson } from './json.ts';
import { targetProperties } from './junit-properties.ts';
import { hostile, report, target, verdict } from './testing/literal-report.ts';
import { formatAssumption, formatLook } from './wording-found.ts';

const port: Assumption = { key: 'port', value: 8080, why: 'the lowest port that answers HTTP, of 8080, 9090' };
const assumed: readonly Assumption[] = [
  port,
  {
    key: 'accept',
    value: [
      { status: 143, reason: 'long' },
      { status: 130, reason: 'longer' },
    ],
    why: 'its documentation',
  },
];
const server: ServerFact = {
  name: 'nginx',
  title: 'nginx',
  signal: 'TERM',
  says: 'SIGTERM is its fast shutdown and cuts requests in flight; SIGQUIT drains',
  documentation: 'nginx(8)',
};
const discovery: Discovery = { engine: 'docker', tookMs: 900, processes: [], ports: [], gaps: [] };
const verdicts = [verdict('SIG-1', 'pass')];

describe('what was assumed', () => {
  it.each([
    [port, 'port 8080: the lowest port that answers HTTP, of 8080, 9090'],
    [{ key: 'tls', value: { port: 8443, http2: true }, why: 'x' }, 'tls port 8443 http2 true: x'],
    [{ key: 'ready', value: { http: '/readyz' }, why: 'x' }, 'ready http /readyz: x'],
    [{ key: 'tcp', value: [25, 26], why: 'x' }, 'tcp 25, 26: x'],
    [assumed[1], 'accept 143, 130: its documentation'],
  ])('%j', (assumption, words) => {
    expect(assumption && formatAssumption(assumption)).toBe(words);
  });

  it('is in the header of the console, once where all engines share it, beside the server', () => {
    const more = { assumed, server, discovery };
    const both = [target(verdicts, more), target(verdicts, { ...more, engine: 'podman' })];
    const text = renderConsole(report(both, 0), { width: 200 });
    expect(text).toContain(`  assumed      port 8080: the lowest port that answers HTTP, of 8080, 9090
  assumed      accept 143, 130: its documentation
  server       nginx: SIGTERM is its fast shutdown and cuts requests in flight; SIGQUIT drains (nginx(8))
`);
  });

  it('names the engine where it differs', () => {
    const both = [target(verdicts, { assumed: [port] }), target(verdicts, { engine: 'podman' })];
    expect(renderConsole(report(both, 0), { width: 200 })).toContain('  assumed      docker: port 8080: the lowest');
  });

  it('is in JSON and in the properties of JUnit', () => {
    const found = target(verdicts, { assumed, server, discovery: { ...discovery, gaps: ['x could not be seen'] } });
    const json = JSON.parse(renderJson(report([found], 0)));
    expect(json.targets[0]).toMatchObject({ assumed, server, discovery: { gaps: ['x could not be seen'] } });
    expect(targetProperties(found, report([found], 0))).toEqual(
      expect.arrayContaining([
        { name: 'assumed.port', value: 'port 8080: the lowest port that answers HTTP, of 8080, 9090' },
        { name: 'assumed.accept', value: 'accept 143, 130: its documentation' },
        { name: 'server', value: expect.stringMatching(/^nginx: SIGTERM is its fast .*\(nginx\(8\)\)$/) },
        { name: 'notSeen', value: 'x could not be seen' },
      ]),
    );
  });

  it('is nowhere where nothing was', () => {
    const text = renderConsole(report([target(verdicts, { discovery, assumed: [] })], 0));
    expect(text).not.toMatch(/^ {2}(assumed|server|not seen) /m);
  });

  it('cannot break a terminal', () => {
    const evil = {
      assumed: [{ key: 'tcp', value: hostile, why: hostile }],
      discovery: { ...discovery, gaps: [hostile] },
    };
    const text = renderConsole(report([target(verdicts, evil)], 0));
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('what could not be seen', () => {
  it.each([
    [{}, undefined],
    [{ gaps: ['a', 'b'] }, 'a; b'],
    [
      { ended: { exitCode: 1, lastLines: ['x', 'no such file'] }, gaps: ['a'] },
      'it ended by itself with exit status 1, so that nothing could be found; its last line: no such file; a',
    ],
    [{ ended: { lastLines: [] } }, 'it ended by itself, so that nothing could be found'],
  ])('%j', (more, words) => {
    expect(formatLook({ ...discovery, ...more })).toBe(words);
  });
});
