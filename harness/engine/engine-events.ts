import { text } from 'node:stream/consumers';
import type { EngineEvent } from './driver.ts';
import type { EngineConnection } from './engine-connection.ts';
import { signalName } from './signal-names.ts';

interface RawEvent {
  readonly Action?: string;
  readonly status?: string;
  readonly Actor?: { readonly Attributes?: Readonly<Record<string, string>> };
}

/** One line of the event stream. JSON.parse would lose the last digits of `timeNano`, so they are read from the text. */
export function parseEvent(line: string): EngineEvent | undefined {
  const nano = /"timeNano":\s*(\d+)/.exec(line)?.[1];
  if (nano === undefined) return undefined;
  const raw = JSON.parse(line) as RawEvent;
  const action = raw.Action ?? raw.status ?? '';
  const attributes = raw.Actor?.Attributes ?? {};
  // Podman puts a meaningless exit code 0 on every other event.
  const exitCode = action === 'die' ? attributes['exitCode'] : undefined;
  const signal = action === 'kill' ? attributes['signal'] : undefined;
  return {
    action,
    atNs: BigInt(nano),
    ...(signal === undefined ? {} : { signal: signalName(signal) }),
    ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
  };
}

/** Events of one container from its creation until now, oldest first. */
export async function pastEvents(
  connection: EngineConnection,
  containerId: string,
  createdAtNs: bigint,
): Promise<readonly EngineEvent[]> {
  const { caller, dialect } = connection;
  const client = await connection.client();
  const raw = await caller.run('events', async () => {
    const nowS = (Date.now() + connection.clockOffsetMs) / 1000;
    const range = dialect.pastEvents(Number(createdAtNs / 1_000_000n) / 1000, nowS);
    return text(await client.getEvents({ ...range, filters: { container: [containerId] } }));
  });
  const events = raw
    .split('\n')
    .map(parseEvent)
    .filter((event) => event !== undefined);
  return events.sort((a, b) => (a.atNs < b.atNs ? -1 : a.atNs > b.atNs ? 1 : 0));
}
