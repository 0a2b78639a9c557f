import type { Profile } from '../model/profile.ts';
import type { Endpoint, Endpoints, FaultName, GraceEnv, ReadySpec, Registry, TlsAccess } from '../model/target.ts';
import { suggestion } from './nearest.ts';
import type { KeyPath } from './profile-document.ts';
import type { ProfileSource } from './profile-source.ts';
import { UnusableValue } from './profile-source.ts';
import type { ProfileFile } from './schema.ts';

/** What the conversion is told, and whom it tells of a mistake: `expected …, found …` about one key. */
export interface Conversion {
  /** All clause ids; undefined: not checked. */
  readonly clauses: readonly string[] | undefined;
  mistake(path: KeyPath, message: string): void;
}

type Env = Readonly<Record<string, string>>;

const faultNames: Readonly<Record<keyof NonNullable<ProfileFile['faults']>, FaultName>> = {
  slowCleanUp: 'slow-clean-up',
  stuckCleanUp: 'stuck-clean-up',
  stuckThread: 'stuck-thread',
};

/** The profile that a file of the right form stands for. Where a mistake was told, it is not to be used. */
export function toProfile(file: ProfileFile, source: ProfileSource, conversion: Conversion): Profile {
  const { mistake } = conversion;
  for (const [key, why] of Object.entries(source.refused)) {
    if (Object.hasOwn(file, key)) mistake([key], `cannot stand in an image label: ${why}`);
  }
  const usable = (path: KeyPath, text: string, use: (text: string) => string): string => {
    try {
      return use(text);
    } catch (error) {
      if (!(error instanceof UnusableValue)) throw error;
      mistake(path, error.message);
      return text;
    }
  };
  const filled = (text: string, path: KeyPath): string => usable(path, text, (written) => source.fill(written));
  const filledEnv = (env: Env | undefined, path: KeyPath): Env =>
    Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, filled(value, [...path, name])]));
  const known = (clause: string, path: KeyPath): string => {
    const all = conversion.clauses;
    if (all !== undefined && !all.some((id) => id === clause || id.startsWith(`${clause}-`))) {
      mistake(path, `expected a clause of the contract, found "${clause}"${suggestion(clause, all)}`);
    }
    return clause;
  };
  const env = filledEnv(file.env, ['env']);
  const registry: Registry | undefined = file.registry && {
    urlEnv: file.registry.urlEnv,
    env: filledEnv(file.registry.env, ['registry', 'env']),
  };
  const faults = Object.fromEntries(
    entriesOf(file.faults).map(([key, fault]) => [faultNames[key], filledEnv(fault, ['faults', key])]),
  );
  const envs = [env, ...(registry === undefined ? [] : [registry.env]), ...Object.values(faults)];
  const tls: TlsAccess | undefined =
    file.tls &&
    defined({
      ...file.tls,
      ca: file.tls.ca && usable(['tls', 'ca'], filled(file.tls.ca, ['tls', 'ca']), (ca) => source.certificates(ca)),
    });
  return defined({
    version: 1 as const,
    path: source.path,
    declared: Object.keys(file),
    image: file.image && filled(file.image, ['image']),
    preset: file.preset,
    engines: file.engines,
    command: file.command?.map((word, index) => filled(word, ['command', index])),
    env,
    // The name of an env key stands for its value. An empty text would mask everything.
    secrets: (file.secrets ?? [])
      .flatMap((secret, index) => {
        const named = envs.flatMap((values) => (Object.hasOwn(values, secret) ? [values[secret] ?? ''] : []));
        return named.length > 0 ? named : [filled(secret, ['secrets', index])];
      })
      .filter((secret) => secret !== ''),
    port: file.port,
    ready: readySpec(file, source, mistake),
    startTimeoutMs: file.startTimeout,
    graceMs: file.grace,
    graceEnv: graceEnv(file.graceEnv),
    zeroGrace: file.zeroGrace,
    outerTimeoutMs: file.outerTimeout,
    toleranceMs: file.tolerance,
    allowanceMs: file.allowance,
    acceptedStatuses: file.accept,
    tls,
    endpoints: endpointsOf(file.endpoints),
    registry,
    faults,
    patterns: defined(file.logs ?? {}),
    require: (file.require ?? []).map((clause, index) => known(clause, ['require', index])),
    waivers: (file.waive ?? []).map((waiver, index) => {
      known(waiver.clause, ['waive', index, 'clause']);
      return waiver;
    }),
  });
}

function graceEnv(written: ProfileFile['graceEnv']): GraceEnv | undefined {
  if (written === undefined) return undefined;
  return typeof written === 'string'
    ? { name: written, unit: 'ms' }
    : { name: written.name, unit: written.unit ?? 'ms' };
}

function endpointsOf(written: ProfileFile['endpoints']): Endpoints {
  const list = (routes: readonly string[] = []): Endpoint[] =>
    routes.map((route) => {
      const [method = '', path = ''] = route.split(' ');
      return { method, path };
    });
  return {
    slow: list(written?.slow),
    stream: list(written?.stream),
    sse: list(written?.sse),
    upload: list(written?.upload),
    control: list(written?.control),
  };
}

/** A check without a port of its own asks `port`, over TLS `tls.port`; where only TLS is declared it goes over that. */
function readySpec(
  file: ProfileFile,
  { origin }: ProfileSource,
  mistake: Conversion['mistake'],
): ReadySpec | undefined {
  const { http, tcp, log } = file.ready ?? {};
  if (tcp !== undefined) return { kind: 'tcp', port: tcp, origin };
  if (log !== undefined) return { kind: 'log', pattern: log, origin };
  if (http === undefined) return undefined;
  const check: { port?: number | undefined; path: string; tls?: boolean | undefined } =
    typeof http === 'string' ? { path: http } : http;
  const tlsPort = file.tls?.port;
  const overTls = check.tls ?? (check.port ?? file.port ?? tlsPort) === tlsPort;
  const port = check.port ?? (overTls ? tlsPort : file.port);
  if (port !== undefined) {
    const way = overTls ? { tls: true as const } : {};
    return { kind: 'http', port, path: check.path, origin, ...way };
  }
  mistake(
    ['ready', 'http'],
    check.tls === true
      ? 'expected a TLS port to ask, found none; add tls: { port: 8443 }'
      : 'expected a port to ask, found none; add port: 8080, or write ready: { http: { port: 8080, path: /health } }',
  );
  return undefined;
}

function entriesOf<T extends object>(value: T | undefined): [keyof T, Exclude<T[keyof T], undefined>][] {
  return Object.entries(value ?? {}) as [keyof T, Exclude<T[keyof T], undefined>][];
}

/** Without the keys whose value is undefined, so that absent stays absent. */
function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
