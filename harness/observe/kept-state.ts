import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StateProbe } from '../model/target.ts';
import { reasonOf } from '../model/network.ts';
import { dialDirectly } from '../wire/dial.ts';
import type { Vantage } from './readiness.ts';
import type { Recorder } from './recorder.ts';

/** A known server answers each of these at once; one that does not is asked no longer. */
const ANSWER_LIMIT_MS = 2000;
/** A server that takes connections while it still loads what it kept answers with the value soon after. */
const READ_LIMIT_MS = 3000;
const READ_PAUSE_MS = 100;
/** What comes of an answer comes together. */
const QUIET_MS = 200;
/** Of an answer only so much is kept and looked at. */
const ANSWER_BYTES = 64 * 1024;
const SHOWN_CHARACTERS = 120;

interface Answer {
  /** Whether what was looked for is in it. */
  readonly has: boolean;
  readonly answered: boolean;
  readonly detail: string;
}

/** A value that nothing else can have left. */
export const newToken = (): string => `lfq${randomUUID().replaceAll('-', '')}`;

/** Put a value into a known server, and read it back at once: only then is it to be found again. Records one `state`. */
export async function writeState(
  probe: StateProbe,
  vantage: Vantage,
  recorder: Recorder,
  token: string,
): Promise<void> {
  const begin = recorder.now();
  const record = (did: 'written' | 'refused', { has, answered, detail }: Answer): void => {
    recorder.record({ kind: 'state', begin, did, ok: has, answered, token, detail });
  };
  if (probe.unless !== undefined) {
    const said = await ask(probe, vantage, probe.unless.ask, probe.unless.says);
    if (said.has) return record('refused', said);
  }
  // whatever it answers to that, the value is there or it is not
  const written = await ask(probe, vantage, withToken(probe.write, token));
  const read = await ask(probe, vantage, withToken(probe.read, token), withToken(probe.expect, token));
  record('written', read.has ? read : { ...read, detail: `${written.detail}; ${read.detail}` });
}

/** Ask a known server for the value that its first life was given. Records one `state`. */
export async function readState(
  probe: StateProbe,
  vantage: Vantage,
  recorder: Recorder,
  token: string,
  limitMs: number = READ_LIMIT_MS,
): Promise<void> {
  const begin = recorder.now();
  for (;;) {
    const { has, ...answer } = await ask(probe, vantage, withToken(probe.read, token), withToken(probe.expect, token));
    const over = vantage.address === undefined || (recorder.now() - begin) / 1e6 >= limitMs;
    if (has || over) return void recorder.record({ kind: 'state', begin, did: 'read', ok: has, token, ...answer });
    await sleep(READ_PAUSE_MS);
  }
}

const withToken = (text: string, token: string): string => text.replaceAll('TOKEN', token);

/**
 * Send bytes on a connection of their own and read until what is looked for is there (without it: until anything is), the
 * other side ends, or the limit is over. Never throws.
 */
async function ask({ port }: StateProbe, vantage: Vantage, bytes: string, wanted?: string): Promise<Answer> {
  const { address, dial = dialDirectly } = vantage;
  if (address === undefined)
    return { has: false, answered: false, detail: 'the container cannot be reached from here' };
  return await new Promise((resolve) => {
    const socket = dial({ host: address, port, noDelay: true });
    let text = '';
    const end = (why: string): void => {
      socket.destroy();
      const has = wanted !== undefined && text.includes(wanted);
      const shown = text === '' ? why : JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
      resolve({ has, answered: text !== '', detail: `${JSON.stringify(bytes.trimEnd())}: ${shown}` });
    };
    socket.setTimeout(ANSWER_LIMIT_MS, () => end(`no answer within ${ANSWER_LIMIT_MS} ms`));
    socket.once('connect', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      socket.setTimeout(QUIET_MS);
      if (wanted === undefined || text.includes(wanted) || text.length > ANSWER_BYTES) end('');
    });
    socket.once('end', () => end('the connection was closed'));
    socket.on('error', (error) => end(reasonOf(error)));
  });
}
