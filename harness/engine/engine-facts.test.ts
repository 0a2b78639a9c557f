import { release, totalmem } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { dockerDriver } from './docker.ts';
import { bestReading } from './engine-facts.ts';
import type { Answers, EngineServer } from './engine-server.suite.ts';
import { dockerAnswers, engineServer } from './engine-server.suite.ts';
import { engineOverTcp } from './remote-engine.suite.ts';

const atMs = Date.parse('2026-11-30T12:00:00Z');
const timed = (beforeMs: number, afterMs: number, systemTime: unknown = '2026-11-30T12:00:00.050Z') => ({
  info: { SystemTime: systemTime },
  beforeMs: atMs + beforeMs,
  afterMs: atMs + afterMs,
});

describe('bestReading', () => {
  it('takes the answer that came back soonest', () => {
    const answers = [timed(0, 400), timed(0, 19), timed(0, 99)];
    const { offsetMs, errorMs } = bestReading(answers);
    expect(offsetMs).toBeCloseTo(40, 2);
    expect(errorMs).toBe(10);
  });

  it('holds the true offset, wherever in the call the engine read its clock', () => {
    for (const read of [0, 10, 20]) {
      const { offsetMs, errorMs } = bestReading([timed(50 - read, 70 - read)]);
      expect(Math.abs(offsetMs)).toBeLessThanOrEqual(errorMs + 0.001);
    }
  });

  it('knows nothing of an engine that tells no time', () => {
    expect(bestReading([timed(0, 1, null), timed(0, 1, '')])).toEqual({
      offsetMs: 0,
      errorMs: Number.MAX_SAFE_INTEGER,
    });
  });
});

describe('readFacts', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  /** An engine that says it runs on this kernel with so much memory. */
  async function engineHere(memory: unknown = totalmem()): Promise<EngineServer> {
    const usual = dockerAnswers();
    const answers: Answers = {
      ...usual,
      '/version': { ...(usual['/version'] as object), KernelVersion: release() },
      '/info': { ...(usual['/info'] as object), MemTotal: memory },
    };
    const server = await engineServer(answers);
    open.push(server);
    return server;
  }

  async function localAt(address: string, endpoint?: string): Promise<boolean> {
    const driver = dockerDriver(address, endpoint);
    try {
      return (await driver.facts()).local;
    } finally {
      driver.close();
    }
  }

  it('calls an engine local on a unix socket of this kernel, also one that is rootless', async () => {
    expect(await localAt((await engineHere()).address)).toBe(true);
  });

  it.each([
    ['has another kernel', async () => (await serveOther()).address],
    ['has other memory, as a forwarded socket of a like machine', async () => (await engineHere(1)).address],
    ['is reached over tcp, also over loopback', async () => await overTcp()],
  ])('does not call one local that %s', async (_, address) => {
    expect(await localAt(await address())).toBe(false);
  });

  it('does not call one local that is reached through a forwarder', async () => {
    expect(await localAt('ssh://build', (await engineHere()).address)).toBe(false);
  });

  async function serveOther(): Promise<EngineServer> {
    const server = await engineServer(dockerAnswers());
    open.push(server);
    return server;
  }

  async function overTcp(): Promise<string> {
    const remote = await engineOverTcp((await engineHere()).socketPath);
    open.push(remote);
    return remote.address;
  }
});
