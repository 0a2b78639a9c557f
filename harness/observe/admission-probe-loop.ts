import type { SecureContext } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { Http1Line } from './admission-probe-http1.ts';
import { Http2Line } from './admission-probe-http2.ts';
import type { Discarded, Facts, Line, LineContext } from './admission-probe-line.ts';
import type { FromThread, ProbeJob, Sample } from './admission-probe-messages.ts';
import type { AskedRequest } from './control-routes.ts';
import type { Access } from '../wire/connection.ts';

/** Longer than two retransmits of a lost SYN: nothing is told yet by how long the first requests take. */
const FIRST_LIMIT_MS = 5000;
/** A request without a whole answer for this long hangs. */
const LIMIT_MS = 1000;
/** What the kernel of a target that has ended still sends, arrives within this. */
const SETTLE_MS = 200;
/** Unanswered requests of the rhythm at once: a service that answers nothing must not be flooded. */
const MOST_PENDING = 64;
/** Kept connections that are opened at once beforehand. */
const WARMING = 16;
/** Samples are handed over this often, ones that turn away at once. */
const BATCH_MS = 25;

/** What the loop needs: a clock, the life of PID 1, and where its messages go. */
export interface LoopSurroundings {
  /** CLOCK_MONOTONIC in nanoseconds since the job's base. */
  readonly now: () => number;
  readonly alive: () => boolean;
  readonly emit: (message: FromThread) => void;
}

/** A job with the way in as the loop's own thread has it. */
export type LoopJob = Omit<ProbeJob, 'access'> & { readonly access: Access };

/** The probe itself: one rhythm without drift, in which a request on a new and one on a kept connection begin. */
export class ProbeLoop {
  readonly #job: LoopJob;
  readonly #around: LoopSurroundings;
  readonly #everyNs: number;
  readonly #secure: SecureContext | undefined;
  readonly #pending = new Set<Line>();
  #kept: Line[] = [];
  #used = new Set<Line>();
  #turn = 0;
  #connections = 0;
  #normal = 0;
  #samples = 0;
  #void = 0;
  #withdrawn = 0;
  #keptAtStart = 0;
  #unusedWithdrawn = 0;
  #longestGapNs = 0;
  #planned = 0;
  #lastStart: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settleTimer: NodeJS.Timeout | undefined;
  #endedAt: number | undefined;
  #dead = false;
  #lost = false;
  #over = false;
  #batch: Sample[] = [];
  readonly #faults = new Set<string>();
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(job: LoopJob, around: LoopSurroundings) {
    this.#job = job;
    this.#around = around;
    this.#everyNs = job.everyMs * 1e6;
    const { tls } = job.access;
    if (tls) this.#secure = createSecureContext(tls.ca === undefined ? {} : { ca: tls.ca });
  }

  /** Learn the normal answer, warm the kept connections up, and go. Nothing goes where nothing can be told. */
  async start(): Promise<void> {
    const problem = this.#mayConnect() ? ((await this.#learnNormal()) ?? (await this.#warmUp())) : undefined;
    if (problem === undefined && this.#endedAt === undefined) {
      const at = this.#around.now();
      for (const line of this.#kept) line.onWithdrawn = () => this.#withdraw(line);
      this.#keptAtStart = this.#kept.length;
      this.#around.emit({ type: 'started', at, kept: this.#kept.length, normal: this.#normal });
      this.#planned = at;
      this.#tick();
      return;
    }
    const tried = problem === undefined ? [] : [problem];
    const message = this.#dead ? 'PID 1 ended before the probe was under way' : 'no request was answered normally';
    this.#around.emit({ type: 'failed', at: this.#around.now(), message, tried });
    this.stop();
  }

  /** Each request once, on a new connection, right away. */
  ask(id: number, requests: readonly AskedRequest[]): void {
    const asked = this.#mayConnect() ? requests.map((request) => this.#askNew(request)) : [];
    void Promise.all(asked).then(() => {
      this.#flush();
      this.#around.emit({ type: 'asked', id });
    });
  }

  /** PID 1 has ended: nothing begins any more, and what is unanswered gets a moment for its end to arrive. */
  ended(): void {
    if (this.#dead) return;
    this.#dead = true;
    this.#finish();
    this.#settleTimer = setTimeout(() => {
      const message = `nothing was heard of it within ${SETTLE_MS} ms after the end of PID 1`;
      for (const line of [...this.#pending]) line.giveUp(message);
    }, SETTLE_MS);
  }

  /** The way to the target is lost: nothing can be told any more. */
  lost(): void {
    if (this.#over || this.#dead) return;
    this.#lost = true;
    this.#fault('the way to the target was lost');
    this.#finish();
  }

  /** Nothing begins any more; what is unanswered is waited for. */
  stop(): void {
    this.#finish();
  }

  /** Asked before each connect: the address belongs to the target only while PID 1 lives. */
  #mayConnect(): boolean {
    if (!this.#dead && !this.#around.alive()) this.ended();
    return !this.#dead;
  }

  async #learnNormal(): Promise<string | undefined> {
    const { request } = this.#job;
    const what = `${request.method} ${request.path} on a new connection`;
    const outcome = await this.#on(this.#line(false), request, FIRST_LIMIT_MS);
    if ('discarded' in outcome) return `${what}: ${outcome.message}`;
    if (outcome.outcome !== 'answered' || outcome.status === undefined || outcome.message !== undefined) {
      return [`${what}:`, outcome.outcome, outcome.status, outcome.message]
        .filter((part) => part !== undefined)
        .join(' ');
    }
    if (outcome.status >= 500) return `${what}: answered ${outcome.status}`;
    this.#normal = outcome.status;
    return undefined;
  }

  async #warmUp(): Promise<undefined> {
    const { kept, request } = this.#job;
    for (let opened = 0; opened < kept && this.#mayConnect(); opened += WARMING) {
      const lines = Array.from({ length: Math.min(WARMING, kept - opened) }, () => this.#line(true));
      const outcomes = await Promise.all(lines.map((line) => this.#on(line, request, FIRST_LIMIT_MS)));
      for (const [index, line] of lines.entries()) {
        const outcome = outcomes[index];
        if (outcome && 'status' in outcome && outcome.status === this.#normal && line.idle) this.#kept.push(line);
        else line.close();
      }
    }
    this.#kept = this.#kept.filter((line) => line.idle);
  }

  #tick(): void {
    if (this.#endedAt !== undefined || !this.#mayConnect()) return;
    const begin = this.#around.now();
    const { request } = this.#job;
    let began = false;
    if (this.#pending.size < MOST_PENDING) {
      began = true;
      void this.#askNew({ purpose: 'admission', ...request });
    }
    const line = this.#pending.size < MOST_PENDING ? this.#nextKept() : undefined;
    if (line) {
      began = true;
      this.#used.add(line);
      void this.#on(line, request, LIMIT_MS).then((outcome) =>
        this.#sample(outcome, line, { via: 'kept', purpose: 'admission', request: inWords(request) }),
      );
    }
    if (began) this.#started(begin);
    this.#plan();
  }

  /** The next tick is where it was planned, whenever this one came; ticks that were missed are left out. */
  #plan(): void {
    const now = this.#around.now();
    const missed = Math.max(0, Math.floor((now - this.#planned) / this.#everyNs));
    this.#planned += (missed + 1) * this.#everyNs;
    // By way of setImmediate what has arrived is read first: a FIN that is here already is no race.
    const go = (): NodeJS.Immediate => setImmediate(() => this.#tick());
    this.#timer = setTimeout(go, Math.max(0, (this.#planned - now) / 1e6));
  }

  #started(at: number): void {
    this.#longestGapNs = Math.max(this.#longestGapNs, at - (this.#lastStart ?? at));
    this.#lastStart = at;
  }

  #nextKept(): Line | undefined {
    for (let looked = 0; looked < this.#kept.length; looked += 1) {
      this.#turn %= this.#kept.length;
      const line = this.#kept[this.#turn];
      if (line?.over) this.#kept.splice(this.#turn, 1);
      else {
        this.#turn += 1;
        if (line?.idle) return line;
      }
    }
    return undefined;
  }

  async #askNew(request: Omit<AskedRequest, 'purpose'> & Pick<Sample, 'purpose'>): Promise<void> {
    const line = this.#line(false, request.at);
    const outcome = await this.#on(line, request, LIMIT_MS);
    this.#sample(outcome, line, { via: 'new', purpose: request.purpose, request: inWords(request) });
  }

  async #on(
    line: Line,
    request: { readonly method: string; readonly path: string },
    limitMs: number,
  ): Promise<Facts | Discarded> {
    this.#pending.add(line);
    const outcome = await line.ask(request, limitMs);
    this.#pending.delete(line);
    if ('discarded' in outcome && outcome.discarded === 'gone') this.ended();
    if (this.#endedAt !== undefined && this.#pending.size === 0) setImmediate(() => this.#maybeOver());
    return outcome;
  }

  #sample(outcome: Facts | Discarded, line: Line, what: Pick<Sample, 'via' | 'purpose' | 'request'>): void {
    if ('discarded' in outcome) {
      this.#void += 1;
      if (outcome.discarded === 'ours') this.#fault(outcome.message);
      return;
    }
    this.#samples += 1;
    this.#batch.push({ ...what, connection: line.number, ...outcome });
    if (outcome.outcome !== 'answered' || outcome.status !== this.#normal) this.#flush();
    else this.#flushTimer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** Each once: what stands in the way of one sample stands in the way of the next. */
  #fault(message: string): void {
    if (this.#faults.has(message)) return;
    this.#faults.add(message);
    this.#around.emit({ type: 'fault', message });
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    if (this.#batch.length > 0) this.#around.emit({ type: 'samples', list: this.#batch });
    this.#batch = [];
  }

  #withdraw(line: Line): void {
    this.#withdrawn += 1;
    if (!this.#used.has(line)) this.#unusedWithdrawn += 1;
  }

  #finish(): void {
    if (this.#endedAt !== undefined) return;
    const at = this.#around.now();
    this.#endedAt = at;
    clearTimeout(this.#timer);
    if (this.#lastStart !== undefined) this.#started(at); // what came after the last sample was not seen either
    if (this.#pending.size === 0) setImmediate(() => this.#maybeOver());
  }

  #maybeOver(): void {
    if (this.#over || this.#endedAt === undefined || this.#pending.size > 0) return;
    this.#over = true;
    clearTimeout(this.#settleTimer);
    this.#flush();
    for (const line of this.#kept) line.close();
    const totals = {
      samples: this.#samples,
      withdrawn: this.#withdrawn,
      unused: this.#keptAtStart - this.#used.size - this.#unusedWithdrawn,
      void: this.#void,
      longestGapMs: Math.ceil(this.#longestGapNs / 1e3) / 1e3,
    };
    this.#around.emit({ type: 'over', at: this.#endedAt, totals, ...(this.#lost ? { lost: true } : {}) });
  }

  #line(keep: boolean, at?: AskedRequest['at']): Line {
    this.#connections += 1;
    const context: LineContext = {
      ...this.#around,
      access: this.#job.access,
      ...(this.#secure ? { secure: this.#secure } : {}),
    };
    if (at === undefined || at.port === context.access.port) {
      const Kind = context.access.over === 'h2' ? Http2Line : Http1Line;
      return new Kind(this.#connections, context, keep);
    }
    const { address, dial } = context.access;
    const there = { address, port: at.port, ...(dial && { dial }) };
    const access: Access = at.tls ? { ...there, over: 'https', tls: { port: at.port } } : { ...there, over: 'http' };
    return new Http1Line(this.#connections, { ...this.#around, access }, keep);
  }
}

const inWords = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;
