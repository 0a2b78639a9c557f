/** What the environment sets. */
export interface Settings {
  readonly graceMs: number;
  readonly port: number;
}

const wholeNumber = (env: NodeJS.ProcessEnv, name: string, fallback: number, most: number): number => {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most)
    throw new Error(`${name} must be a whole number from 0 to ${most}, got ${text}`);
  return value;
};

/** @throws {Error} with one sentence for a value that cannot be used (CFG-2) */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => ({
  graceMs: wholeNumber(env, 'SERVER_SHUTDOWNGRACEFULPERIOD', 2000, 3_600_000),
  port: wholeNumber(env, 'SERVER_PORT', 8080, 65_535),
});
