import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answering, Bench, OK } from './admission-probe-bench.suite.ts';

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(async () => await bench.close());

describe('the end of PID 1', () => {
  it('ends the probe by itself: what holds the port after it is never touched', async () => {
    const child = spawn('sleep', ['600']);
    const server = createServer(answering((socket) => socket.write(OK)));
    const port = await bench.listening(server);
    await bench.probe(port, { kept: 3, through: { pid: child.pid ?? 0 } });
    await bench.until(() => bench.samples()[20]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const deadBy = bench.recorder.now();
    const ended = await bench.until(() => bench.of('probe.ended')[0]);
    expect(ended).toMatchObject({ reason: 'PID 1 ended', samples: bench.samples().length });
    for (const sample of bench.samples()) expect(sample.begin).toBeLessThan(deadBy);
    const marker = connect(port, '127.0.0.1'); // accepted after everything that came before it
    await once(server, 'connection');
    marker.destroy();
    expect(bench.accepted).toBe(1 + 3 + bench.samples({ via: 'new' }).length + ended.void + 1);
  });

  it('leaves what nothing was heard of as hung, and says so', async () => {
    let silent = false;
    const child = spawn('sleep', ['600']);
    const server = createServer(answering((socket) => silent || socket.write(OK)));
    const probe = await bench.probe(await bench.listening(server), { through: { pid: child.pid ?? 0 } });
    silent = true;
    await once(server, 'connection');
    await once(server, 'connection');
    const turnedAway = probe.turnedAway(600_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    bench.target.abort();
    expect(await turnedAway).toBe(false);
    await probe.stop('over');
    const hung = bench.samples({ outcome: 'hung' });
    expect(hung.length).toBeGreaterThan(0);
    expect(hung[0]).toMatchObject({
      by: 'timeout',
      message: 'nothing was heard of it within 200 ms after the end of PID 1',
    });
    expect(await probe.turnedAway(1)).toBe(false);
    await probe.ask([{ purpose: 'control', method: 'GET', path: '/' }]);
    expect(bench.samples({ purpose: 'control' })).toEqual([]);
  });

  it('shows in what it left unanswered: a reset', async () => {
    const program = `
      let served = 0;
      const server = require('node:http').createServer((request, response) => {
        served += 1;
        if (served < 8) response.end('ok');
        else if (served === 12) process.kill(process.pid, 'SIGKILL');
      });
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.once('exit', () => bench.target.abort());
    const [port] = await once(child.stdout, 'data');
    const probe = await bench.probe(Number(port), { through: { pid: child.pid ?? 0 } });
    if (!bench.target.signal.aborted) await once(bench.target.signal, 'abort');
    await probe.stop('over');
    const unanswered = bench.samples().filter(({ status }) => status === undefined);
    expect(unanswered.length).toBeGreaterThanOrEqual(4);
    for (const sample of unanswered) expect(sample).toMatchObject({ outcome: expect.stringMatching(/reset|refused/) });
    expect(unanswered.some(({ by }) => by === 'RST' || by === 'FIN')).toBe(true);
  });
});

describe('the end of PID 1, through a relay,', () => {
  it('ends the probe by itself, and what connected after it is no sample', async () => {
    const child = spawn('sleep', ['600']);
    const server = createServer(answering((socket) => socket.write(OK)));
    const port = await bench.listening(server);
    const relay = await bench.relay(child.pid ?? 0);
    await bench.probe(port, { through: { relay } });
    await bench.until(() => bench.samples()[20]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const deadBy = bench.recorder.now();
    const ended = await bench.until(() => bench.of('probe.ended')[0]);
    expect(ended).toMatchObject({ reason: 'PID 1 ended', samples: bench.samples().length });
    for (const sample of bench.samples()) expect(sample.begin).toBeLessThan(deadBy);
    const marker = connect(port, '127.0.0.1'); // accepted after everything that came before it
    await once(server, 'connection');
    marker.destroy();
    expect(bench.accepted).toBe(1 + bench.samples({ via: 'new' }).length + ended.void + 1);
    expect(bench.of('fault')).toEqual([]);
  });

  it('leaves no refusal by its port that began after it', async () => {
    const program = `
      const server = require('node:http').createServer((request, response) => response.end('ok'));
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = await once(child.stdout, 'data');
    const probe = await bench.probe(Number(port), {
      through: { relay: await bench.relay(child.pid ?? 0) },
      everyMs: 1,
    });
    const turnedAway = probe.turnedAway(600_000);
    await bench.until(() => bench.samples()[5]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const deadBy = bench.recorder.now();
    await bench.until(() => bench.of('probe.ended')[0]);
    for (const sample of bench.samples()) expect(sample.begin).toBeLessThan(deadBy);
    await turnedAway;
  });
});

describe('a relay that is lost', () => {
  it('ends the probe with a fault: nothing of it is a reset or a refusal of the service', async () => {
    let silent = false;
    const held: Socket[] = [];
    const server = createServer(answering((socket) => (silent ? held.push(socket) : socket.write(OK))));
    const child = await bench.lossy(process.pid);
    const probe = await bench.probe(await bench.listening(server), { kept: 3, through: { relay: child.relay } });
    await bench.until(() => bench.samples({ via: 'kept' })[3]);
    const turnedAway = probe.turnedAway(600_000);
    silent = true;
    await once(server, 'connection');
    await once(server, 'connection');
    child.kill();
    const ended = await bench.until(() => bench.of('probe.ended')[0]);
    expect(ended.reason).toBe('the way to the target was lost');
    expect(ended.void).toBeGreaterThan(0);
    expect(await turnedAway).toBe(false);
    expect(bench.samples().filter(({ outcome }) => outcome !== 'answered')).toEqual([]);
    const faults = bench.of('fault').map(({ message }) => message);
    expect(faults.length).toBe(new Set(faults).size);
    for (const fault of faults)
      expect(fault).toMatch(/^admission probe: .*(way .* was lost|cannot connect: ERELAYLOST)/);
  });

  it('leaves an answer that it cut short out', async () => {
    let cut = false;
    const halved = Promise.withResolvers<void>();
    const server = createServer(
      answering((socket) => {
        socket.write(cut ? OK.slice(0, -1) : OK);
        if (cut) halved.resolve();
      }),
    );
    const child = await bench.lossy(process.pid);
    await bench.probe(await bench.listening(server), { through: { relay: child.relay } });
    cut = true;
    await halved.promise;
    child.kill();
    await bench.until(() => bench.of('probe.ended')[0]);
    expect(bench.samples().filter(({ message }) => message !== undefined)).toEqual([]);
  });

  it('before the probe is under way leaves it unstarted', async () => {
    const child = await bench.lossy(process.pid);
    const server = createServer(answering(() => child.kill()));
    expect(await bench.start(await bench.listening(server), { through: { relay: child.relay } })).toBeUndefined();
    expect(bench.of('probe.failed')).toMatchObject([{ tried: [expect.stringMatching(/the way to it was lost/)] }]);
  });

  it('watches nobody, where its target is not there: then there is no probe', async () => {
    const { relay } = await bench.lossy(2 ** 22 + 1);
    expect(await bench.start(await bench.listening(createServer()), { through: { relay } })).toBeUndefined();
    expect(bench.of('probe.failed')).toMatchObject([
      { message: 'PID 1 is not there', tried: ['the sidecar does not watch it: No such process'] },
    ]);
    expect(bench.accepted).toBe(0);
  });
});
