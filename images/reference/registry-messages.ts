import type { ShutdownReason } from './signal-watcher.ts';

/** Who registers. */
export interface Identity {
  readonly serviceId: string;
  readonly version: string;
  readonly protocol: 'http' | 'https';
  readonly address: string;
  readonly port: number;
}

/** What of the controller's JSON-RPC messages matters to a session. */
export interface ControllerMessage {
  readonly id: string | undefined;
  readonly runtimeInstanceId: string | undefined;
  readonly status: string | undefined;
  readonly failed: boolean;
}

export const REGISTER_ID = 'register-1';
export const GOODBYE_ID = 'goodbye-1';

const REASONS = { Terminate: 'terminate', Interrupt: 'interrupt', Programmatic: 'programmatic' } as const;

const request = (id: string, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export const registration = (identity: Identity): string =>
  request(REGISTER_ID, 'service/register', { ...identity, tags: {}, envTag: 'test', jwt: '' });

export const goodbye = (runtimeInstanceId: string, reason: ShutdownReason): string =>
  request(GOODBYE_ID, 'service/deregister', { runtimeInstanceId, reason: REASONS[reason] });

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const object = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Undefined for what is not a JSON object; missing and foreign fields are left out. */
export const readMessage = (data: unknown): ControllerMessage | undefined => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(String(data));
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const { id, result, error } = object(parsed);
  const { runtimeInstanceId, status } = object(result);
  return {
    id: text(id),
    runtimeInstanceId: text(runtimeInstanceId),
    status: text(status),
    failed: error !== undefined,
  };
};

/** `<portal>/ws/microservice`, over WebSocket. */
export const sessionAddress = (portalUrl: string): string => {
  const url = new URL(portalUrl);
  url.protocol = url.protocol.replace('http', 'ws');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/ws/microservice`;
  return url.href;
};
