import { describe, expect, it } from 'vitest';
import { signalName } from './signal-names.ts';

describe('signalName', () => {
  it.each([
    ['15', 'TERM'],
    [2, 'INT'],
    ['SIGTERM', 'TERM'],
    ['sigquit', 'QUIT'],
    ['usr1', 'USR1'],
    ['1', 'HUP'],
    ['10', 'USR1'],
    ['31', 'SYS'],
    ['34', 'RTMIN'],
    ['37', 'RTMIN+3'],
    ['SIGRTMIN+3', 'RTMIN+3'],
    ['0', '0'],
    ['99', '99'],
  ])('calls %s %s', (value, name) => {
    expect(signalName(value)).toBe(name);
  });
});
