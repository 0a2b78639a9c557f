import { describe, expect, it } from 'vitest';
import type { History } from '../model/history.ts';
import type { Draft } from '../model/observation.ts';
import type { CellRef } from '../model/plan.ts';
import type { ComparedStop } from '../model/report.ts';
import { stopsCompared } from './stops-compared.ts';
import { at, exit, history, outerTimeout, ready, signal, SIGNAL_AT } from './testing/history-builder.ts';
import type { Entry, Setting } from './testing/history-builder.ts';

function bare(end: readonly Entry[], cell: Partial<CellRef> = {}, more: Setting = {}): History {
  return history({ ...more, cell: { scenario: 'signal/no-load', ...cell } }, ready(), ...signal(), ...end);
}

function behindInit(end: readonly Entry[]): History {
  const cell = { scenario: 'image/engine-init' };
  return history({ values: { init: 'engine' }, cell }, ready(), ...signal(), ...end);
}

/** The engine's own stop, called at the usual instant; docker writes an event of its signal, podman none. */
function engineStop(
  timeout: 'default' | 'given',
  end: readonly Entry[],
  engine: 'docker' | 'podman' = 'docker',
): History {
  const mode = { mode: timeout, ...(timeout === 'given' && { timeoutS: 3 }) };
  const event: Draft = { kind: 'engine.event', t: at(SIGNAL_AT + 3), action: 'kill', at: at(SIGNAL_AT), signal: '15' };
  return history(
    { engine, values: { timeout }, cell: { scenario: 'signal/engine-stop' } },
    ready(),
    { kind: 'stop.called', t: at(SIGNAL_AT), ...mode },
    { kind: 'stop.returned', begin: at(SIGNAL_AT), t: at(SIGNAL_AT + 60), ...mode },
    ...(engine === 'docker' ? [event] : []),
    ...end,
  );
}

function shown(histories: readonly History[]): readonly Partial<ComparedStop>[] | undefined {
  return stopsCompared(histories)?.map(({ how, end, exitCode, measured }) => ({
    how,
    end,
    ...(exitCode !== undefined && { exitCode }),
    ...(measured && { measured }),
  }));
}

const ended = (how: string, valueMs: number, exitCode = 0) => ({
  how,
  end: 'exit',
  exitCode,
  measured: expect.objectContaining({ valueMs }),
});

describe('the stops beside each other', () => {
  it('are the bare signal, the engine’s stop with both timeouts, and the signal behind the init, in this order', () => {
    const histories = [
      behindInit(exit(15, 0)),
      engineStop('given', exit(11, 0)),
      engineStop('default', exit(12, 0)),
      bare(exit(9, 0)),
    ];
    expect(shown(histories)).toEqual([
      ended('signal', 9),
      ended('stop default', 12),
      ended('stop given', 11),
      ended('init', 15),
    ]);
  });

  it('name the signal, the given timeout, and whether only the call is known', () => {
    const list = stopsCompared([
      bare(exit(9, 0)),
      engineStop('default', exit(12, 0)),
      engineStop('given', exit(30, 0), 'podman'),
    ]);
    expect(list).toMatchObject([
      { signal: 'TERM', from: 'signal' },
      { signal: 'TERM', from: 'signal' },
      { signal: 'TERM', from: 'call', timeoutS: 3 },
    ]);
    expect(list?.map((stop) => stop.timeoutS)).toEqual([undefined, undefined, 3]);
  });

  it.each<readonly [string, readonly Entry[], Partial<ComparedStop>]>([
    ['another status', exit(9, 3), { end: 'exit', exitCode: 3 }],
    ['the harness’s SIGKILL has no duration', outerTimeout(10_000), { end: 'outer timeout', survivedMs: 9998 }],
    ['a kill that is not ours', exit(9, 137, { oom: true }), { end: 'killed', why: '137: the engine says OOMKilled' }],
    ['a status that the engine never gave', [], { end: 'unknown', why: expect.stringMatching(/never confirmed/) }],
    ['two readings that disagree', exit(9, 0, { finishedMs: 90 }), { problem: expect.stringMatching(/disagree/) }],
  ])('%s is said', (_, end, expected) => {
    const [stop] = stopsCompared([bare(end), behindInit(exit(15, 0))]) ?? [];
    expect(stop).toMatchObject(expected);
    expect(stop?.measured === undefined).toBe(['outer timeout', 'unknown'].includes(stop?.end ?? ''));
  });

  const other = engineStop('default', exit(12, 0));
  it.each<readonly [string, readonly History[], readonly unknown[] | undefined]>([
    ['one kind alone is compared with nothing', [bare(exit(9, 0)), bare(exit(10, 0), { repeat: 2 })], undefined],
    [
      'a cell repeated alone shows that',
      [bare(exit(400, 0)), bare(exit(9, 0), { lane: 'alone', sample: 2 }), other],
      [ended('signal', 9), ended('stop default', 12)],
    ],
    [
      'every repeat is among them',
      [bare(exit(10, 0), { repeat: 2 }), bare(exit(9, 0)), other],
      [ended('signal', 9), ended('signal', 10), ended('stop default', 12)],
    ],
    ['another signal is not the preset’s own', [bare(exit(9, 0), {}, { values: { signal: 'INT' } }), other], undefined],
    ['a record that broke off shows nothing', [bare(exit(9, 0), {}, { complete: false }), other], undefined],
    [
      'a bare signal is never shown as the engine’s stop',
      [bare(exit(9, 0)), bare(exit(9, 0), { scenario: 'signal/engine-stop' }, { values: { timeout: 'given' } })],
      undefined,
    ],
    ['nothing at all is none', [], undefined],
  ])('%s', (_, histories, expected) => {
    expect(shown(histories)).toEqual(expected);
  });
});
