import { describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import { engineCaller } from './engine-call.ts';

const SHORT_MS = 1;
const hang = (): Promise<never> => new Promise(() => undefined);
const answered = (statusCode: number, message: string): Error =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message} `), { statusCode, json: { message } });

function callerWith(ping: () => Promise<unknown>) {
  return engineCaller('docker', 'unix:///some.sock', ping);
}
const caller = callerWith(async () => 'OK');

describe('engineCaller', () => {
  it('gives the result', async () => {
    expect(await caller.run('version', async () => 5)).toBe(5);
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE'])('takes %s for a lost engine', async (code) => {
    const failed = caller.run('inspect abc', () => Promise.reject(Object.assign(new Error('gone'), { code })));
    await expect(failed).rejects.toBeInstanceOf(EngineError);
    await expect(failed).rejects.toMatchObject({
      lost: true,
      message: 'docker at unix:///some.sock: inspect abc failed: gone',
    });
  });

  it.each([
    ['an answer of the engine', answered(500, 'no')],
    ['a missing permission', Object.assign(new Error('denied'), { code: 'EACCES' })],
    ['a bug of ours', new TypeError('x is not a function')],
  ])('does not take %s for a lost engine', async (_, error) => {
    const failed = caller.run('kill', () => Promise.reject(error));
    await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false, cause: error });
  });

  it("repeats the engine's own words without the client's wrapping", async () => {
    const failed = caller.run('kill', () => Promise.reject(answered(409, 'it is not running')));
    await expect(failed).rejects.toThrow('kill failed: it is not running');
    const bare = Object.assign(new Error('(HTTP code 409) unexpected - not found there '), { statusCode: 409 });
    await expect(caller.run('attach', () => Promise.reject(bare))).rejects.toThrow('attach failed: not found there');
  });

  it('keeps an EngineError as it is', async () => {
    const error = new EngineError('as it was');
    await expect(caller.run('start', () => Promise.reject(error))).rejects.toBe(error);
  });

  it('ends a call that hangs, and says that the engine still answers', async () => {
    const failed = caller.run('start web', hang, SHORT_MS);
    await expect(failed).rejects.toMatchObject({ name: 'EngineError', lost: false });
    await expect(failed).rejects.toThrow('docker at unix:///some.sock: start web did not return within 1 ms');
  });

  it('calls an engine lost that hangs and answers no ping', async () => {
    const deaf = callerWith(() => Promise.reject(new Error('no')));
    await expect(deaf.run('start web', hang, SHORT_MS)).rejects.toMatchObject({ name: 'EngineError', lost: true });
  });

  it('gives undefined only for the statuses that are expected', async () => {
    const missing = () => Promise.reject(answered(404, 'no such container'));
    expect(await caller.runUnless([404], 'remove', missing)).toBeUndefined();
    await expect(caller.runUnless([304], 'remove', missing)).rejects.toThrow('no such container');
  });
});
