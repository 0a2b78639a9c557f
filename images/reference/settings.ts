/** What the environment sets. */
export interface Settings {
  readonly graceMs: number;
  readonly port: number;
  /** Where TLS is spoken; absent where it is switched off. */
  readonly httpsPort?: number;
  /** The controller to register with; absent where there is none. */
  readonly portalUrl?: string;
  /** Whether it starts all the same where the controller does not register it. */
  readonly startOnRegistryFailure: boolean;
  /** The config server to start from; absent where there is none. */
  readonly configServer?: string;
  /** Where what it said is kept. */
  readonly configCache: string;
}

const wholeNumber = (env: NodeJS.ProcessEnv, name: string, fallback: number, most: number): number => {
  const text = env[name];
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most)
    throw new Error(`${name} must be a whole number from 0 to ${most}, got ${text}`);
  return value;
};

const flag = (env: NodeJS.ProcessEnv, name: string, fallback: boolean): boolean => {
  const text = env[name] ?? String(fallback);
  if (text !== 'true' && text !== 'false') throw new Error(`${name} must be true or false, got ${text}`);
  return text === 'true';
};

const PORTAL_URL = 'PORTAL_REGISTRY_PORTALURL';

const CONFIG_SERVER = 'LIGHT_CONFIG_SERVER_URI';

const address = (env: NodeJS.ProcessEnv, name: string, schemes: RegExp, wanted: string): string | undefined => {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  if (!URL.canParse(text) || !schemes.test(new URL(text).protocol))
    throw new Error(`${name} must be an ${wanted} address, got ${text}`);
  return text;
};

/** @throws {Error} with one sentence for a value that cannot be used (CFG-2) */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => {
  const portal = address(env, PORTAL_URL, /^(http|ws)s?:$/, 'http, https, ws or wss');
  const configServer = address(env, CONFIG_SERVER, /^https?:$/, 'http or https');
  const https = flag(env, 'SERVER_ENABLEHTTPS', true);
  return {
    graceMs: wholeNumber(env, 'SERVER_SHUTDOWNGRACEFULPERIOD', 2000, 3_600_000),
    port: wholeNumber(env, 'SERVER_PORT', 8080, 65_535),
    ...(https ? { httpsPort: wholeNumber(env, 'SERVER_HTTPSPORT', 8443, 65_535) } : {}),
    ...(portal === undefined ? {} : { portalUrl: portal }),
    startOnRegistryFailure: flag(env, 'PORTAL_REGISTRY_STARTONREGISTRYFAILURE', true),
    ...(configServer === undefined ? {} : { configServer }),
    configCache: env['CONFIG_CACHE'] ?? '/app/config-cache',
  };
};
