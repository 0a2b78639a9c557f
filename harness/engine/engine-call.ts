import { EngineError } from '../model/errors.ts';

/** Limits of a call, ms. Generous: they end a hang, they measure nothing. */
export const LIMITS_MS = { ping: 5_000, quick: 30_000, start: 120_000, logs: 120_000, transfer: 1_800_000 } as const;

/** Codes of a connection that could not be made or broke: the engine is gone, not merely unwilling. */
const LOST_CODES = new Set(
  'ECONNREFUSED ECONNRESET ENOENT EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN ECONNABORTED'.split(' '),
);

/** The HTTP status an engine answered with, when the error is such an answer. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The engine's own words without dockerode's wrapping. */
export function reasonOf(error: unknown): string {
  const answered = (error as { json?: { message?: unknown } } | null)?.json?.message;
  if (typeof answered === 'string') return answered.trim();
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).replace(/^\(HTTP code \d+\)[^-]*- /, '').trim();
}

function isLost(error: unknown): boolean {
  if (statusOf(error) !== undefined) return false;
  const code = (error as { code?: unknown } | null)?.code;
  return (typeof code === 'string' && LOST_CODES.has(code)) || /socket hang up|aborted/.test(reasonOf(error));
}

/** Runs calls to one engine: each has a limit, and each failure names the engine, its address and the call. */
export interface EngineCaller {
  /** Throws EngineError; `lost` when the connection failed, or the limit ran out and the engine answers no ping. */
  run<T>(call: string, action: () => Promise<T>, limitMs?: number): Promise<T>;
  /** As `run`, but an answer with one of these statuses gives undefined. */
  runUnless<T>(
    statuses: readonly number[],
    call: string,
    action: () => Promise<T>,
    limitMs?: number,
  ): Promise<T | undefined>;
  /** The EngineError for a failed call. */
  failure(call: string, error: unknown): EngineError;
}

const LIMIT = Symbol('limit');

async function limited<T>(action: () => Promise<T>, limitMs: number): Promise<T | typeof LIMIT> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof LIMIT>((resolve) => {
    timer = setTimeout(() => resolve(LIMIT), limitMs);
  });
  try {
    return await Promise.race([action(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** `ping` tells a hung call from a hung engine. */
export function engineCaller(engine: string, address: string, ping: () => Promise<unknown>): EngineCaller {
  const where = `${engine} at ${address}`;

  function failure(call: string, error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    return new EngineError(`${where}: ${call} failed: ${reasonOf(error)}`, { cause: error, lost: isLost(error) });
  }

  async function run<T>(call: string, action: () => Promise<T>, limitMs: number = LIMITS_MS.quick): Promise<T> {
    try {
      const result = await limited(action, limitMs);
      if (result !== LIMIT) return result;
    } catch (error) {
      throw failure(call, error);
    }
    const alive = await limited(ping, LIMITS_MS.ping).catch(() => LIMIT);
    const says = alive === LIMIT ? 'and it answers no ping' : 'though it answers a ping';
    throw new EngineError(`${where}: ${call} did not return within ${limitMs} ms ${says}`, { lost: alive === LIMIT });
  }

  async function runUnless<T>(
    statuses: readonly number[],
    call: string,
    action: () => Promise<T>,
    limitMs?: number,
  ): Promise<T | undefined> {
    const tolerant = async (): Promise<T | undefined> => {
      try {
        return await action();
      } catch (error) {
        if (statuses.includes(statusOf(error) ?? 0)) return undefined;
        throw error;
      }
    };
    return run(call, tolerant, limitMs);
  }

  return { run, runUnless, failure };
}
