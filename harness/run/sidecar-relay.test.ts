import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { EngineError, HarnessError } from '../model/errors.ts';
import { sidecarRelay } from './sidecar-relay.ts';

describe('a sidecar that is to carry a relay', () => {
  it('and says nothing is an engine’s failure after the limit, not a wait for ever', async () => {
    const silent = { input: new PassThrough().resume(), output: new PassThrough() };
    const opening = sidecarRelay(silent, undefined, 1);
    await expect(opening).rejects.toThrow(EngineError);
    await expect(opening).rejects.toThrow('the helper in the sidecar did not say hello within 0.001 s');
    silent.output.end(); // what comes later is nobody's
  });

  it('and ends before it has said hello is lost, with what it said, and is no loss of something that stood', async () => {
    const output = new PassThrough();
    const lost: string[] = [];
    const opening = sidecarRelay({ input: new PassThrough().resume(), output }, (reason) => lost.push(reason));
    output.destroy(new Error('sidecar x: exec format error'));
    await expect(opening).rejects.toThrow(HarnessError);
    await expect(opening).rejects.toThrow(/exec format error/);
    expect(lost).toEqual([]);
  });
});
