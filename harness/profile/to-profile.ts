import type { Terms } from '../model/clause.ts';
import type { Profile } from '../model/profile.ts';
import type { Bootstrap, Endpoint, Endpoints, FaultName, GraceEnv, Registry, TlsAccess } from '../model/target.ts';
import { defined } from './defined.ts';
import type { ImageSection, Tell } from './image-section.ts';
import { knownKeys } from './known-keys.ts';
import { serverNames } from './known-servers/index.ts';
import { suggestion } from './nearest.ts';
import type { KeyPath } from './profile-document.ts';
import type { ProfileSource } from './profile-source.ts';
import type { Reading } from './reading.ts';
import { readingFrom } from './reading.ts';
import { originOf } from './value-origin.ts';
import type { ImageKeys, ProfileFile } from './schema.ts';
import { dependenciesOf } from './to-dependencies.ts';
import { readyOf } from './to-ready.ts';
import { setupOf } from './to-setup.ts';
import { webSocketsOf } from './to-websocket.ts';

/** What the conversion is told. */
export interface Conversion {
  readonly source: ProfileSource;
  readonly engines: ProfileFile['engines'];
  /** All clause ids; undefined: not checked. */
  readonly clauses: readonly string[] | undefined;
  readonly tell: Tell;
}

type Env = Readonly<Record<string, string>>;

const faultNames: Readonly<Record<keyof NonNullable<ImageKeys['faults']>, FaultName>> = {
  slowCleanUp: 'slow-clean-up',
  stuckCleanUp: 'stuck-clean-up',
  stuckThread: 'stuck-thread',
  stuckStartUp: 'stuck-start-up',
  badConfiguration: 'bad-configuration',
};

/** The profile that a section of the right form stands for. Where a mistake was told, it is not to be used. */
export function toProfile(section: ImageSection, { source, engines, clauses, tell }: Conversion): Profile {
  const { keys, where } = section;
  const reading = readingFrom(source, (path, message) => tell(where(path), message));
  const known = (clause: string, path: KeyPath): string => {
    if (clauses !== undefined && !clauses.some((id) => id === clause || id.startsWith(`${clause}-`))) {
      reading.tell(path, `expected a clause of the contract, found "${clause}"${suggestion(clause, clauses)}`);
    }
    return clause;
  };
  const setup = setupOf(keys, [], reading);
  const dependencies = dependenciesOf(keys.dependencies, reading);
  const registry: Registry | undefined = keys.registry && {
    urlEnv: keys.registry.urlEnv,
    env: reading.filledEnv(keys.registry.env, ['registry', 'env']),
  };
  const bootstrap = bootstrapOf(keys.bootstrap, reading);
  const faults = Object.fromEntries(
    entriesOf(keys.faults).map(([key, fault]) => [faultNames[key], reading.filledEnv(fault, ['faults', key])]),
  );
  const envs = [
    setup.env,
    ...(registry === undefined ? [] : [registry.env]),
    ...(bootstrap === undefined ? [] : [bootstrap.env]),
    ...Object.values(faults),
    ...dependencies.map(({ env }) => env),
  ];
  const ready = readyOf(keys.ready, { plain: keys.port, tls: keys.tls?.port }, ['ready'], reading);
  const secretNames = (keys.secrets ?? []).filter((secret) => /^[A-Za-z_]\w*$/.test(secret));
  return defined({
    version: 1 as const,
    path: source.path,
    declared: section.declared,
    image: keys.image && reading.filled(keys.image, ['image']),
    name: keys.name,
    preset: keys.preset,
    engines,
    ...setup,
    secrets: secretsOf(keys.secrets, envs, reading),
    secretNames: secretNames.length === 0 ? undefined : secretNames,
    outbound: keys.network?.outbound,
    dependencies,
    port: keys.port,
    tcpPorts: keys.tcp,
    server: serverOf(keys.server, reading),
    stopSignal: keys.stopSignal,
    ready: ready && { ...ready, origin: originOf('ready', ready.origin, keys.about?.origins) },
    startTimeoutMs: keys.startTimeout,
    graceMs: keys.grace,
    graceEnv: graceEnvOf(keys.graceEnv),
    zeroGrace: keys.zeroGrace,
    outerTimeoutMs: keys.outerTimeout,
    toleranceMs: keys.tolerance,
    allowanceMs: keys.allowance,
    acceptedStatuses: keys.accept?.map((entry) => defined(entry)),
    tls: tlsOf(keys.tls, reading),
    endpoints: endpointsOf(keys.endpoints, reading),
    registry,
    bootstrap,
    faults,
    patterns: defined(keys.logs ?? {}),
    terms: termsOf(keys.terms, reading),
    require: (keys.require ?? []).map((clause, index) => known(clause, ['require', index])),
    waivers: (keys.waive ?? []).map((waiver, index) => {
      known(waiver.clause, ['waive', index, 'clause']);
      return waiver;
    }),
    about: aboutOf(keys.about, reading),
  });
}

function aboutOf(written: ImageKeys['about'], { tell }: Reading): Profile['about'] {
  if (written === undefined) return undefined;
  const { origins = {}, needs = [] } = written;
  const keys = [...knownKeys([]), ...knownKeys(['terms'])];
  for (const key of Object.keys(origins)) {
    if (keys.includes(key)) continue;
    tell(['about', 'origins', key], `expected a key of this file or of terms, found "${key}"${suggestion(key, keys)}`);
  }
  return { origins, needs };
}

/** The name of an env key stands for its value, in each container that has it. An empty text would mask everything. */
function secretsOf(written: ImageKeys['secrets'], envs: readonly Env[], reading: Reading): readonly string[] {
  return (written ?? [])
    .flatMap((secret, index) => {
      const named = envs.flatMap((values) => (Object.hasOwn(values, secret) ? [values[secret] ?? ''] : []));
      return named.length > 0 ? named : [reading.filled(secret, ['secrets', index])];
    })
    .filter((secret) => secret !== '');
}

function serverOf(written: ImageKeys['server'], { tell }: Reading): string | undefined {
  if (written !== undefined && !serverNames.includes(written)) {
    const hint = suggestion(written, serverNames);
    tell(
      ['server'],
      `expected a known server, found ${JSON.stringify(written)}${hint}; one of ${serverNames.join(', ')}`,
    );
  }
  return written;
}

function tlsOf(written: ImageKeys['tls'], reading: Reading): TlsAccess | undefined {
  if (written === undefined) return undefined;
  const { ca } = written;
  const certificates = (text: string): string =>
    reading.usable(['tls', 'ca'], text, () => reading.source.certificates(reading.source.fill(text)));
  return defined({ ...written, ca: ca && certificates(ca) });
}

function graceEnvOf(written: ImageKeys['graceEnv']): GraceEnv | undefined {
  if (written === undefined) return undefined;
  return typeof written === 'string'
    ? { name: written, unit: 'ms' }
    : { name: written.name, unit: written.unit ?? 'ms' };
}

function bootstrapOf(written: ImageKeys['bootstrap'], reading: Reading): Bootstrap | undefined {
  if (written === undefined) return undefined;
  return defined({ ...written, env: reading.filledEnv(written.env, ['bootstrap', 'env']) });
}

function endpointsOf(written: ImageKeys['endpoints'], reading: Reading): Endpoints {
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
    ...(written?.liveness && { liveness: list(written.liveness) }),
    ...(written?.websocket && {
      webSocket: webSocketsOf(written.websocket, ['endpoints', 'websocket'], reading),
    }),
  };
}

function termsOf(written: ImageKeys['terms'] = {}, { tell }: Reading): Partial<Terms> {
  const { gracefulSignals, primarySignal, expiredStatus } = written;
  if (gracefulSignals !== undefined && primarySignal !== undefined && !gracefulSignals.includes(primarySignal)) {
    tell(
      ['terms', 'primarySignal'],
      `expected one of gracefulSignals (${gracefulSignals.join(', ')}), found "${primarySignal}"`,
    );
  }
  return defined({
    stopBoundMs: written.stopBound,
    stopGoalMs: written.stopGoal,
    floorMs: written.floor,
    listenerCloseMs: written.listenerClose,
    afterWorkMs: written.afterWork,
    afterWorkGoalMs: written.afterWorkGoal,
    idleWatchMs: written.idleWatch,
    expiredStatus: expiredStatus === 'any' ? null : expiredStatus,
    expiredSaidOnStderr: written.expiredSaidOnStderr,
    gracefulSignals,
    primarySignal,
    serveAfterMs: written.serveAfter,
    secondTerm: written.secondTerm,
    secondInt: written.secondInt,
    livenessInDrain: written.livenessInDrain,
    closeCodes: written.closeCodes,
    closeReason: written.closeReason === 'any' ? null : written.closeReason,
  });
}

function entriesOf<T extends object>(value: T | undefined): [keyof T, Exclude<T[keyof T], undefined>][] {
  return Object.entries(value ?? {}) as [keyof T, Exclude<T[keyof T], undefined>][];
}
