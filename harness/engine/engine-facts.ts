import { release } from 'node:os';
import type { EngineFacts } from '../model/engine.ts';
import type { EngineConnection } from './engine-connection.ts';
import { engineTimeNs } from './engine-time.ts';

const NS_PER_MS = 1e6;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A unix socket served by the same kernel that we run on; a forwarded socket or a desktop VM has another one. */
function onThisHost(connection: EngineConnection, kernel: string | undefined): boolean {
  return connection.target.kind === 'unix' && kernel === release();
}

/** Offset of the engine's clock, from `/info`'s SystemTime against the middle of the round trip. */
function clockReading(systemTime: unknown, beforeMs: number, afterMs: number): { offsetMs: number; errorMs: number } {
  const errorMs = (afterMs - beforeMs) / 2;
  const engineNs = engineTimeNs(text(systemTime));
  if (engineNs === undefined) return { offsetMs: 0, errorMs: Number.MAX_SAFE_INTEGER };
  return { offsetMs: Number(engineNs) / NS_PER_MS - (beforeMs + errorMs), errorMs };
}

/** Facts from `/version` and `/info`. A local engine shares our clock: 0 ± 0. Throws EngineError. */
export async function readFacts(connection: EngineConnection): Promise<EngineFacts> {
  const { caller, dialect } = connection;
  const client = await connection.client();
  const [version, [info, beforeMs, afterMs]] = await Promise.all([
    caller.run('version', () => client.version()),
    caller.run('info', async () => {
      const before = Date.now();
      const answer = (await client.info()) as Readonly<Record<string, unknown>>;
      return [answer, before, Date.now()] as const;
    }),
  ]);
  const kernel = text(version.KernelVersion) ?? text(info['KernelVersion']);
  const sameHost = onThisHost(connection, kernel);
  const rootless = dialect.rootless(info);
  const clock = sameHost ? { offsetMs: 0, errorMs: 0 } : clockReading(info['SystemTime'], beforeMs, afterMs);
  connection.clockOffsetMs = clock.offsetMs;
  const optional = {
    runtime: text(info['DefaultRuntime']),
    cgroupVersion: text(info['CgroupVersion']),
    storage: text(info['Driver']),
    os: text(info['OperatingSystem']) ?? text(version.Os),
    kernel,
    architecture: text(version.Arch) ?? text(info['Architecture']),
    id: dialect.identity(info),
  };
  return {
    name: dialect.name,
    version: version.Version,
    apiVersion: version.ApiVersion,
    address: connection.address,
    rootless,
    local: sameHost && !rootless,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<EngineFacts>),
    clockOffsetMs: clock.offsetMs,
    clockErrorMs: clock.errorMs,
  };
}
