import type { WebSocketEndpoint } from '../model/websocket.ts';
import type { Access } from '../wire/connection.ts';
import { openConnection } from '../wire/connection.ts';
import { WebSocketLine } from '../wire/web-socket.ts';
import { UPGRADE_LIMIT_MS, upgradeOutcome } from '../wire/web-socket-upgrade.ts';
import type { Recorder } from './recorder.ts';

/**
 * Ask for an upgrade on a new connection, and record what came of it as `ws.upgrade` (WSS-6). Nothing is recorded where
 * PID 1 had ended by the time the connection stood: whose address it is then nobody knows. Rejects with HarnessError where
 * this host cannot connect at all.
 */
export async function askForUpgrade(options: {
  readonly access: Access;
  readonly endpoint: WebSocketEndpoint;
  readonly id: string;
  readonly recorder: Recorder;
  /** Aborted when PID 1 has been seen dead. */
  readonly ended: AbortSignal;
}): Promise<void> {
  const { access, endpoint, id, recorder, ended } = options;
  if (ended.aborted) return;
  const { now } = recorder;
  const connected = await openConnection(access, { limitMs: UPGRADE_LIMIT_MS, now });
  const about = { kind: 'ws.upgrade', id, via: 'new', path: endpoint.path } as const;
  if (!connected.socket) {
    const { begin, t, outcome, message } = connected;
    // after the end a refusal may be that of the network
    if (!ended.aborted) recorder.record({ ...about, begin, t, outcome, message });
    return;
  }
  const { socket, begin } = connected;
  const line = new WebSocketLine(socket, { begin, now, access, endpoint });
  if (!ended.aborted) {
    line.sendUpgrade();
    recorder.record({ ...about, begin, ...(await upgradeOutcome(line, endpoint, now)) });
  }
  await line.destroy();
}
