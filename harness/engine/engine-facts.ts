import { existsSync } from 'node:fs';
import { release, totalmem } from 'node:os';
import type { EngineFacts } from '../model/engine.ts';
import type { EngineConnection } from './engine-connection.ts';
import { engineTimeNs } from './engine-time.ts';

const NS_PER_MS = 1e6;
/** Of a remote engine's clock; the quickest answer is the one that says most. */
const CLOCK_READINGS = 5;
/** `Date.now` counts whole milliseconds. */
const TICK_MS = 1;

type Info = Readonly<Record<string, unknown>>;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A unix socket, not one that we forward, served by the kernel that we run on: by its release and by how much memory it
 * has. A socket that somebody else forwards, or that of a desktop's machine, is another kernel's.
 */
function onThisHost(connection: EngineConnection, kernel: string | undefined, info: Info): boolean {
  if (connection.target.kind !== 'unix' || connection.endpoint !== connection.address) return false;
  const memory = info['MemTotal'];
  return kernel === release() && (typeof memory !== 'number' || memory === 0 || memory === totalmem());
}

interface ClockReading {
  readonly offsetMs: number;
  readonly errorMs: number;
}

interface TimedInfo {
  readonly info: Info;
  readonly beforeMs: number;
  readonly afterMs: number;
}

const UNKNOWN_CLOCK: ClockReading = { offsetMs: 0, errorMs: Number.MAX_SAFE_INTEGER };

/** Offset of the engine's clock, from `/info`'s SystemTime against the middle of the round trip: the best of several. */
export function bestReading(answers: readonly TimedInfo[]): ClockReading {
  const readings = answers.map(({ info, beforeMs, afterMs }): ClockReading => {
    const engineNs = engineTimeNs(text(info['SystemTime']));
    if (engineNs === undefined) return UNKNOWN_CLOCK;
    const middleMs = (beforeMs + afterMs + TICK_MS) / 2;
    return { offsetMs: Number(engineNs) / NS_PER_MS - middleMs, errorMs: (afterMs - beforeMs + TICK_MS) / 2 };
  });
  return readings.reduce((best, reading) => (reading.errorMs < best.errorMs ? reading : best), UNKNOWN_CLOCK);
}

/** Where Podman looks for catatonit unless its configuration says otherwise; its API does not tell. */
const PODMAN_INITS = ['/usr/libexec/podman/catatonit', '/usr/local/libexec/podman/catatonit', '/usr/bin/catatonit'];

function initOf(name: EngineFacts['name'], info: Info, local: boolean): string | undefined {
  return name === 'podman' && local ? PODMAN_INITS.find((path) => existsSync(path)) : text(info['InitBinary']);
}

/** Facts from `/version` and `/info`. A local engine shares our clock: 0 ± 0. Throws EngineError. */
export async function readFacts(connection: EngineConnection): Promise<EngineFacts> {
  const { caller, dialect } = connection;
  const client = await connection.client();
  const ask = async (): Promise<TimedInfo> =>
    await caller.run('info', async () => {
      const beforeMs = Date.now();
      const info = (await client.info()) as Info;
      return { info, beforeMs, afterMs: Date.now() };
    });
  const [version, first] = await Promise.all([caller.run('version', () => client.version()), ask()]);
  const { info } = first;
  const kernel = text(version.KernelVersion) ?? text(info['KernelVersion']);
  const local = onThisHost(connection, kernel, info);
  const answers = [first];
  while (!local && answers.length < CLOCK_READINGS) answers.push(await ask());
  const clock = local ? { offsetMs: 0, errorMs: 0 } : bestReading(answers);
  connection.clockOffsetMs = clock.offsetMs;
  const optional = {
    endpoint: connection.endpoint === connection.address ? undefined : connection.endpoint,
    runtime: text(info['DefaultRuntime']),
    cgroupVersion: text(info['CgroupVersion']),
    storage: text(info['Driver']),
    os: text(info['OperatingSystem']) ?? text(version.Os),
    kernel,
    architecture: text(version.Arch) ?? text(info['Architecture']),
    init: initOf(dialect.name, info, local),
    id: dialect.identity(info),
  };
  return {
    name: dialect.name,
    version: version.Version,
    apiVersion: version.ApiVersion,
    address: connection.address,
    rootless: dialect.rootless(info),
    local,
    ...(Object.fromEntries(
      Object.entries(optional).filter(([, value]) => value !== undefined),
    ) as Partial<EngineFacts>),
    clockOffsetMs: clock.offsetMs,
    clockErrorMs: clock.errorMs,
  };
}
