import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Recorder } from '../observe/recorder.ts';
import type { Holder } from './hold.ts';
import type { MessageId, RegistryMessage } from './registry-message.ts';
import { readRegistryMessage } from './registry-message.ts';

/**
 * How a played controller answers a goodbye: after so long, or never; or what it does before it comes to that: hold the
 * handshake or the registration until it is released, or refuse to register. Those acknowledge a goodbye at once.
 */
export type ControllerConduct =
  | { readonly kind: 'acknowledges'; readonly afterMs: number }
  | { readonly kind: 'silent' | 'holds-registration' | 'holds-handshake' | 'refuses-registration' };

/** JSON-RPC's own codes. */
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
/** The first code that JSON-RPC leaves to servers. */
const REGISTRATION_REFUSED = -32000;
/** WebSocket close codes: a kind of data that is not spoken here, and a message that breaks the rules. */
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
/** Texts of the service are stored this far, in characters. */
const KEPT_TEXT = 200;

type Outcome = 'registered' | 'deregistered' | 'refused';

/** One session of a service with the played controller, from its handshake to its end. All of it is recorded. */
export function playSession(options: {
  readonly socket: WebSocket;
  /** Number of the session within the run. */
  readonly session: number;
  readonly conduct: ControllerConduct;
  readonly recorder: Recorder;
  /** Its answer may be held. */
  readonly registration: Holder;
  /** The answer to a registration is with the kernel. */
  readonly onRegistered: () => void;
}): void {
  const { socket, session, conduct, recorder, registration } = options;
  const pending = new Set<NodeJS.Timeout>();
  let instance: string | undefined;

  recorder.record({ kind: 'controller.session', session, state: 'opened' });
  socket.on('message', (data, isBinary) => receive(data, isBinary));
  socket.on('error', (error) => malformed(error.message));
  socket.once('close', (code) => {
    for (const timer of pending) clearTimeout(timer);
    recorder.record({ kind: 'controller.session', session, state: 'closed', code });
  });

  /** What cannot be read is no evidence of what was meant: said so, and the session is over. */
  function malformed(text: string, code?: number): void {
    recorder.record({ kind: 'controller.received', session, method: '(malformed)', text });
    if (code !== undefined) socket.close(code, text);
  }

  function receive(data: RawData, isBinary: boolean): void {
    const t = recorder.now();
    // After a Close of ours frames may still come in; they belong to no session.
    if (socket.readyState !== socket.OPEN) return;
    if (isBinary) {
      malformed('a binary frame in a session that speaks JSON', UNSUPPORTED_DATA);
      return;
    }
    const message = readRegistryMessage(String(data));
    if ('problem' in message) {
      malformed(message.problem, POLICY_VIOLATION);
      return;
    }
    const { method = '(answer)', id, runtimeInstanceId, reason } = message;
    recorder.record({
      kind: 'controller.received',
      t,
      session,
      method: shortened(method),
      ...(id === undefined ? {} : { id: String(id) }),
      ...(runtimeInstanceId === undefined ? {} : { runtimeInstanceId: shortened(runtimeInstanceId) }),
      ...(reason === undefined ? {} : { reason: shortened(reason) }),
    });
    if (message.method !== undefined && id !== undefined) answer(message.method, id, message);
  }

  function answer(method: string, id: MessageId, message: RegistryMessage): void {
    if (method === 'service/register') register(method, id);
    else if (method === 'service/deregister') goodbye(method, id, message);
    else void send(method, id, 'refused', { error: { code: METHOD_NOT_FOUND, message: 'method not found' } });
  }

  function register(method: string, id: MessageId): void {
    const refused = { error: { code: REGISTRATION_REFUSED, message: 'registration refused' } };
    registration.answer(async () => {
      if (conduct.kind === 'refuses-registration') return await send(method, id, 'refused', refused);
      instance ??= randomUUID();
      const result = { runtimeInstanceId: instance, status: 'registered' };
      return await send(method, id, 'registered', { result });
    });
    registration.ask();
  }

  /** A silent controller does not say either that a goodbye is wrong. */
  function goodbye(method: string, id: MessageId, { runtimeInstanceId, reasonKnown }: RegistryMessage): void {
    if (conduct.kind === 'silent') return;
    if (instance === undefined || runtimeInstanceId !== instance || !reasonKnown) {
      const what = reasonKnown ? 'not the instance of this session' : 'not a reason of the protocol';
      void send(method, id, 'refused', { error: { code: INVALID_PARAMS, message: what } });
      return;
    }
    const acknowledge = (): void =>
      void send(method, id, 'deregistered', { result: { runtimeInstanceId, status: 'deregistered' } });
    const afterMs = conduct.kind === 'acknowledges' ? conduct.afterMs : 0;
    if (afterMs === 0) {
      acknowledge();
      return;
    }
    const timer = setTimeout(() => {
      pending.delete(timer);
      acknowledge();
    }, afterMs);
    pending.add(timer);
  }

  /** Whether the answer is with the kernel. */
  async function send(method: string, id: MessageId, outcome: Outcome, body: object): Promise<boolean> {
    if (socket.readyState !== socket.OPEN) return false;
    const begin = recorder.now();
    return await new Promise((resolve) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }), (error) => {
        // An answer that never left is none; how the session ended is recorded by its close.
        if (error) return resolve(false);
        const named = { method: shortened(method), id: String(id) };
        recorder.record({ kind: 'controller.answered', begin, session, ...named, outcome });
        if (outcome === 'registered') options.onRegistered();
        resolve(true);
      });
    });
  }
}

function shortened(text: string): string {
  return text.length <= KEPT_TEXT ? text : `${text.slice(0, KEPT_TEXT)}…`;
}
