/** What the environment sets. */
export interface Settings {
  /** One budget for flush, Close and drain, from the first signal on. */
  readonly drainMs: number;
  readonly port: number;
  /** What stopping the sweeper takes: a declared fault, for DLN-5. */
  readonly sweeperStopMs: number;
}

const wholeNumber = (env: NodeJS.ProcessEnv, name: string, fallback: number, most: number): number => {
  const text = env[name] ?? String(fallback);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most)
    throw new Error(`${name} must be a whole number of at most ${most}, got ${text}`);
  return value;
};

/** @throws {Error} with one sentence for a value that cannot be used (CFG-2) */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => {
  const drainSecs = wholeNumber(env, 'SHUTDOWN_DRAIN_SECS', 5, 3600);
  if (drainSecs === 0)
    throw new Error('SHUTDOWN_DRAIN_SECS must not be 0: no frame would reach its peer; give at least 1');
  return {
    drainMs: drainSecs * 1000,
    port: wholeNumber(env, 'PORT', 8080, 65_535),
    sweeperStopMs: wholeNumber(env, 'SWEEPER_STOP_MS', 0, 60_000),
  };
};
