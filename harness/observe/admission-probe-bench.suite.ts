import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Observation, ObservationKind, ObservationOf } from '../model/observation.ts';
import type { Access } from '../wire/connection.ts';
import type { AdmissionProbe, AdmissionProbeOptions } from './admission-probe.ts';
import { startAdmissionProbe } from './admission-probe.ts';
import type { Relay } from '../wire/relay.ts';
import { startRelay } from '../wire/testing/relay-process.suite.ts';
import { createRecorder } from './recorder.ts';

/** How the probe of a test reaches its service and sees its process. */
export const benchWays = ['directly', 'through a relay'] as const;

/** A history of one test, and a way to wait for what is written into it. */
export class Bench {
  readonly #way: (typeof benchWays)[number];
  readonly relays: Relay[] = [];
  readonly seen: Observation[] = [];
  readonly target = new AbortController();
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #probes: AdmissionProbe[] = [];
  readonly #origin = process.hrtime.bigint();
  #look: () => void = () => undefined;
  /** Connections that any server of the test has accepted. */
  accepted = 0;

  readonly recorder = createRecorder(
    {
      append: (entry) => {
        this.seen.push(entry);
        this.#look();
      },
      close: () => undefined,
    },
    () => Number(process.hrtime.bigint() - this.#origin),
    [],
  );

  constructor(way: (typeof benchWays)[number] = 'directly') {
    this.#way = way;
  }

  async listening(server: Server, port = 0): Promise<number> {
    this.#servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async start(port: number, more: Partial<AdmissionProbeOptions> = {}): Promise<AdmissionProbe | undefined> {
    const access: Access = { address: '127.0.0.1', port, over: 'http' };
    const place = more.through ?? { pid: process.pid };
    const through = 'pid' in place && this.#way !== 'directly' ? { relay: await this.relay(place.pid) } : place;
    const probe = await startAdmissionProbe({
      access,
      request: { method: 'GET', path: '/' },
      everyMs: 5,
      kept: 0,
      recorder: this.recorder,
      fromMonotonic: (ns) => Number(ns - this.#origin),
      ended: this.target.signal,
      ...more,
      through,
    });
    if (probe) this.#probes.push(probe);
    return probe;
  }

  /** One that watches this process; it ends with the test. */
  async relay(pid: number): Promise<Relay> {
    const { relay } = await startRelay({ pid });
    this.relays.push(relay);
    return relay;
  }

  /** One that a test can lose. */
  async lossy(pid: number): Promise<{ readonly relay: Relay; readonly kill: () => void }> {
    const { relay, child } = await startRelay({ pid });
    this.relays.push(relay);
    return { relay, kill: () => child.kill('SIGKILL') };
  }

  /** As `start`, where the probe must come under way. */
  async probe(port: number, more: Partial<AdmissionProbeOptions> = {}): Promise<AdmissionProbe> {
    const probe = await this.start(port, more);
    if (probe === undefined) throw new Error(`no probe: ${JSON.stringify(this.seen)}`);
    return probe;
  }

  of<K extends ObservationKind>(kind: K): ObservationOf<K>[] {
    return this.seen.filter((entry): entry is ObservationOf<K> => entry.kind === kind);
  }

  samples(more: Partial<ObservationOf<'probe.sample'>> = {}): ObservationOf<'probe.sample'>[] {
    const wanted = Object.entries(more);
    return this.of('probe.sample').filter((sample) =>
      wanted.every(([key, value]) => Reflect.get(sample, key) === value),
    );
  }

  /** Resolves with what `find` gives, as soon as it gives something. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#look = resolve));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#probes.map((probe) => probe.stop('the test is over')));
    for (const relay of this.relays) relay.close();
    await Promise.all(this.relays.map(({ closed }) => closed));
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) server.close();
  }
}

/** A raw HTTP/1.1 service: `take` gets each request as it came, with its number on that connection, from 1. */
export function answering(take: (socket: Socket, request: string, turn: number) => void): (socket: Socket) => void {
  return (socket) => {
    let turn = 0;
    socket.on('data', (chunk: Buffer) => {
      turn += 1;
      take(socket, String(chunk), turn);
    });
  };
}

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
