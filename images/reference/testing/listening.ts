import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AdmissionGate } from '../admission-gate.ts';
import { HttpTransport } from '../http-transport.ts';
import { serveRequest } from '../service.ts';
import { ShutdownContext } from '../shutdown-context.ts';
import { VirtualClock } from './virtual-clock.ts';

const pem = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** What a client needs to trust the test certificate. */
export const trust = { ca: pem('tls-ca.pem'), servername: 'reference.lf-qualify.test' };

/** A transport of its own ports whose gate is open; `cleanUp` gets what ends it. */
export const listening = async (cleanUp: (() => unknown)[]) => {
  const gate = new AdmissionGate();
  const https = { port: 0, cert: pem('tls-cert.pem'), key: pem('tls-key.pem') };
  const transport = new HttpTransport(0, serveRequest, { https });
  await transport.bind(gate, new AbortController().signal);
  cleanUp.push(() => transport.abort());
  gate.open();
  const clock = new VirtualClock();
  const stop = (): { context: ShutdownContext; stopped: Promise<'drained' | 'cut'> } => {
    gate.close();
    const context = new ShutdownContext('Terminate', 2000, clock);
    return { context, stopped: transport.stop(context) };
  };
  return { gate, transport, clock, stop };
};

/** A client that shows everything it was sent, in the clear or in TLS. */
export const client = async (
  port: number,
  cleanUp: (() => unknown)[],
  over: 'http' | 'https' = 'http',
): Promise<{ socket: Socket; until(part: string): Promise<string>; all: Promise<string> }> => {
  const to = { port, host: '127.0.0.1' };
  const socket = over === 'http' ? connectTcp(to) : connectTls({ ...to, ...trust, ALPNProtocols: ['http/1.1'] });
  cleanUp.push(() => socket.destroy());
  let text = '';
  const all = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, over === 'http' ? 'connect' : 'secureConnect');
  const until = async (part: string): Promise<string> => {
    while (!text.includes(part)) await once(socket, 'data');
    return text;
  };
  return { socket, until, all };
};
