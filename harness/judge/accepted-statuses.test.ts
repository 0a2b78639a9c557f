import { describe, expect, it } from 'vitest';
import type { AcceptedStatus } from '../model/clause.ts';
import { judgeHistory } from './judge-history.ts';
import type { Entry } from './testing/history-builder.ts';
import { exit, history, ready, signal, SIGNAL_AT, at } from './testing/history-builder.ts';

const accepts = (...entries: readonly AcceptedStatus[]) => ({
  preset: 'baseline' as const,
  terms: { acceptedStatuses: entries },
});
const term: AcceptedStatus = { status: 143, reason: 'raises SIGTERM again' };
const int: AcceptedStatus = { status: 130, reason: 'raises SIGINT again' };
const stop = (name: string, status: number): readonly Entry[] => [ready(), ...signal(name), ...exit(12, status)];

/** What SIG-1, or SIG-2 of an INT, says. */
function seen(declared: readonly AcceptedStatus[], name: string, entries: readonly Entry[]) {
  const clauses = [name === 'INT' ? 'SIG-2' : 'SIG-1'];
  const [judged] = judgeHistory(history({ ...accepts(...declared), clauses, values: { signal: name } }, ...entries));
  return judged?.finding;
}

describe('an accepted status that is the death by a signal', () => {
  it.each([
    ['counts after that signal', [term], 'TERM', 143, 'pass'],
    ['counts after that signal, whichever', [term, int], 'INT', 130, 'pass'],
    ['is none after another one', [term, int], 'TERM', 130, 'fail'],
    ['is none after another one, either way', [term, int], 'INT', 143, 'fail'],
    ['counts after what the profile names', [{ ...term, after: ['INT', 'TERM'] }], 'INT', 143, 'pass'],
    ['counts after nothing else then', [{ ...term, after: ['INT'] }], 'TERM', 143, 'fail'],
    ['may be any other one', [{ status: 7, reason: 'says so' }], 'TERM', 7, 'pass'],
    ['is 134 by no signal of ours', [{ status: 134, reason: 'aborts at the end' }], 'TERM', 134, 'pass'],
    ['may be narrowed where it is no death', [{ status: 7, reason: 'says so', after: ['INT'] }], 'TERM', 7, 'fail'],
  ] as const)('%s: %j, SIG%s, exit %i: %s', (_, declared, name, status, outcome) => {
    expect(seen(declared, name, stop(name, status))).toMatchObject({ outcome });
  });

  it('is said to be none after the signal, and not listed as accepted', () => {
    const finding = seen([term, int], 'TERM', stop('TERM', 130));
    expect(finding?.seen).toMatch(/^exit 130 .*: not an accepted status after SIGTERM$/);
    expect(finding?.accepted).toContain('exit 143 (raises SIGTERM again)');
    expect(finding?.accepted.join()).not.toContain('130');
    expect(seen([], 'TERM', stop('TERM', 130))?.seen).toMatch(/: not an accepted status$/);
  });

  it('counts after a second signal too', () => {
    const entries = [ready(), ...signal('TERM'), ...signal('INT', SIGNAL_AT + 5, 'script', 2), ...exit(12, 130)];
    expect(seen([int], 'TERM', entries)).toMatchObject({ outcome: 'pass' });
  });

  it('goes by the image’s stop signal where the engine stops it, in any spelling', () => {
    const called: Entry = { kind: 'stop.called', t: at(SIGNAL_AT), mode: 'given', timeoutS: 10 };
    const stopped = (value: string, name: string) =>
      judgeHistory(
        history(
          {
            ...accepts({ status: 131, reason: 'dies of SIGQUIT' }),
            clauses: ['SIG-1'],
            values: { signal: name },
            image: { stopSignal: { value, origin: 'image' } },
          },
          ready(),
          called,
          ...exit(12, 131),
        ),
      )[0]?.finding.outcome;
    expect([stopped('SIGQUIT', 'QUIT'), stopped('3', 'QUIT'), stopped('SIGTERM', 'TERM')]).toEqual([
      'pass',
      'pass',
      'fail',
    ]);
  });
});
