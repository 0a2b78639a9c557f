import { describe, expect, it } from 'vitest';
import { lightFabric } from './light-fabric.ts';

const { signalReceived = '', outcome = '', lastLine = '' } = lightFabric.terms.patterns;
const json = (message: string, fields: Readonly<Record<string, string>>): string =>
  JSON.stringify({ level: 'INFO', fields: { message, ...fields }, target: 'light_runtime' });

describe('the log patterns of light-fabric', () => {
  it.each([
    ['shutdown signal received reason=Terminate', 'Terminate'],
    ['shutdown signal received reason="Interrupt"', 'Interrupt'],
    ['shutdown signal received reason: Terminate', 'Terminate'],
    [json('shutdown signal received', { reason: 'Interrupt' }), 'Interrupt'],
    ['{"message": "shutdown signal received", "reason" : "Terminate"}', 'Terminate'],
    ['second shutdown signal received; cancelling graceful drain reason=Interrupt', undefined],
    [json('second shutdown signal received; cancelling graceful drain', { reason: 'Interrupt' }), undefined],
  ])('receipt: %s', (line, reason) => {
    expect(new RegExp(signalReceived).exec(line)?.groups?.['reason']).toBe(reason);
  });

  it.each([
    ['shutdown completed reason=Terminate outcome=graceful duration_ms=12', 'graceful'],
    ['shutdown completed outcome="deadline-exceeded"', 'deadline-exceeded'],
    [json('shutdown completed', { outcome: 'failed' }), 'failed'],
    ['portal-registry terminal shutdown completed outcome=Acknowledged', undefined],
    [json('portal-registry terminal shutdown completed', { outcome: 'Acknowledged' }), undefined],
  ])('outcome and last line: %s', (line, expected) => {
    expect(new RegExp(outcome).exec(line)?.groups?.['outcome']).toBe(expected);
    expect(new RegExp(lastLine).test(line)).toBe(expected !== undefined);
  });
});
