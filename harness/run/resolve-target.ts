import { CLAUSE_SET, clauses } from '../contract/index.ts';
import { presetByName } from '../contract/presets/index.ts';
import { resolveTerms } from '../contract/terms.ts';
import type { JudgementBasis, PresetName, Terms } from '../model/clause.ts';
import type { ImageFacts } from '../model/engine.ts';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { Endpoint, GraceEnv, ReadySpec, Target, TlsAccess } from '../model/target.ts';
import { defined } from '../profile/defined.ts';
import { readyFromImage } from '../profile/image-facts.ts';
import { START_TIMEOUT_MS } from '../profile/to-dependencies.ts';
import { hintsOf } from './hints.ts';
import { recoveryTerms, stateProbe } from './known-state.ts';
import type { Selection } from './plan.ts';
import { selectedLevels } from './plan.ts';
import { requiredClauses } from './required.ts';
import type { Said, TargetFlags } from './said.ts';
import { choosePreset, firstSaid, gather, overridesOf } from './said.ts';
import { usableSecrets } from './usable-secrets.ts';

export type { TargetFlags } from './said.ts';

/**
 * Target and judgement basis of one image: flag, else profile, else image label, else bundled profile, else what a look told,
 * else baseline. `facts` are the image's with the stop signal that it is given.
 * `dependencyImages` has the image id of each dependency on this engine, by alias; where it has none, the dependency's
 * `image` is its reference, to be looked up by the caller. `hints` are sentences for the user: what is known to be needed
 * and is not declared. Throws UsageError for a label that cannot be read, for a grace that the declared variable cannot
 * say, and for readiness by a HEALTHCHECK that the image does not have.
 */
export function resolveTarget(options: {
  readonly facts: ImageFacts;
  readonly profile?: Profile;
  readonly flags: TargetFlags;
  readonly selection: Selection;
  readonly judgedOn: string;
  readonly dependencyImages?: ReadonlyMap<string, string>;
  /** What a look at the running image told, as a profile. */
  readonly discovered?: Profile;
}): {
  readonly target: Target;
  readonly basis: JudgementBasis;
  readonly hints: readonly string[];
  readonly facts: ImageFacts;
} {
  const { flags, dependencyImages } = options;
  const said = gather(
    options.facts,
    options.profile,
    flags,
    clauses.map(({ id }) => id),
    options.discovered,
  );
  const stopSignal = flags.stopSignal ?? firstSaid(said, 'stopSignal');
  const facts = withStopSignal(options.facts, stopSignal, flags.stopSignal === undefined ? 'profile' : 'command line');
  const chosen = choosePreset(said);
  const preset = presetByName(chosen.preset);
  const server = firstSaid(said, 'server');
  const overrides = [...recoveryTerms(server), ...overridesOf(said)];
  const { terms, origins } = resolveTerms(preset, { stopSignal: facts.stopSignal.value, overrides });
  const levels = selectedLevels(chosen.preset, options.selection);
  const tls = firstSaid(said, 'tls');
  const ready = readyOf(said, chosen.preset, tls, facts);
  const port = plainPort(said, tls, facts);
  // Where the check is HTTP in the clear, its port is proven to carry that.
  const httpPort = ready.kind === 'http' && ready.tls !== true ? ready.port : port;
  const graceEnv = firstSaid(said, 'graceEnv');
  const tcpPorts = firstSaid(said, 'tcpPorts');
  const weakestFirst = said.profiles.toReversed();
  const env: Target['env'] = Object.assign(
    graceIn(graceEnv, terms),
    ...weakestFirst.map((profile) => profile.env),
    flags.env,
  );
  const endpoints = (key: Exclude<keyof Target['endpoints'], 'webSocket'>): Endpoint[] =>
    said.profiles.flatMap((profile) => profile.endpoints[key] ?? []);
  const webSocket = said.profiles.flatMap((profile) => profile.endpoints.webSocket ?? []);
  const liveness = endpoints('liveness');
  const dependencies = said.profiles.flatMap((profile) => profile.dependencies);
  const target: Target = {
    name: facts.reference,
    image: facts.digest,
    env,
    ready,
    startTimeoutMs: firstSaid(said, 'startTimeoutMs') ?? START_TIMEOUT_MS,
    endpoints: {
      slow: endpoints('slow'),
      stream: endpoints('stream'),
      sse: endpoints('sse'),
      upload: endpoints('upload'),
      control: endpoints('control'),
      ...(liveness.length === 0 ? {} : { liveness }),
      ...(webSocket.length === 0 ? {} : { webSocket }),
    },
    faults: Object.assign({}, ...weakestFirst.map(({ faults }) => faults)),
    files: said.profiles.flatMap(({ files }) => files),
    volumes: said.profiles.flatMap(({ volumes }) => volumes),
    outbound: firstSaid(said, 'outbound') ?? false,
    dependencies: dependencies.map((declared) => ({
      ...declared,
      image: dependencyImages?.get(declared.alias) ?? declared.reference,
    })),
    secrets: secretsOf(said, env),
    ...defined({
      command: firstSaid(said, 'command'),
      user: firstSaid(said, 'user'),
      memoryBytes: firstSaid(said, 'memoryBytes'),
      tls,
      tcpPorts,
      server,
      state: stateProbe(server, { ready, ...(tcpPorts && { tcpPorts }) }),
      stopSignal,
      graceEnv,
      registry: firstSaid(said, 'registry'),
      bootstrap: firstSaid(said, 'bootstrap'),
    }),
    ...(httpPort === undefined || httpPort === tls?.port ? {} : { httpPort }),
  };
  return {
    target,
    basis: {
      preset: chosen.preset,
      presetOrigin: chosen.origin,
      clauseSet: CLAUSE_SET,
      levels,
      required: requiredClauses(
        preset,
        levels,
        [...weakestFirst.flatMap((profile) => profile.require), ...flags.require],
        httpPort !== undefined || tls !== undefined,
      ),
      terms,
      origins,
      waivers: weakestFirst.flatMap(({ waivers }) => waivers),
      judgedOn: options.judgedOn,
    },
    hints: hintsOf(facts.reference, said, target, terms.primarySignal),
    facts,
  };
}

/** An image as the containers of the run are started from it: with another stop signal where that is said. */
function withStopSignal(facts: ImageFacts, value: string | undefined, origin: 'profile' | 'command line'): ImageFacts {
  return value === undefined ? facts : { ...facts, stopSignal: { value, origin } };
}

/**
 * The values of all secrets: what a stronger profile or a flag sets under the name of one is secret too. A name that was
 * taken for a text, since its own profile sets nothing under it, is none where something else does.
 */
function secretsOf({ profiles }: Said, env: Readonly<Record<string, string>>): readonly string[] {
  const names = profiles.flatMap(({ secretNames = [] }) => secretNames).filter((name) => Object.hasOwn(env, name));
  const texts = profiles.flatMap(({ secrets }) => secrets).filter((text) => !names.includes(text));
  return usableSecrets([...texts, ...names.map((name) => env[name] ?? '')]);
}

/** EXPOSE names ports and not what they carry: a profile that says TLS or bare TCP and no plain port is not second-guessed by it. */
function plainPort(said: Said, tls: TlsAccess | undefined, facts: ImageFacts): number | undefined {
  const declared = said.flags.port ?? firstSaid(said, 'port');
  const bare = firstSaid(said, 'tcpPorts') !== undefined;
  return declared ?? (tls === undefined && !bare ? facts.exposedPorts[0] : undefined);
}

function readyOf(said: Said, preset: PresetName, tls: TlsAccess | undefined, facts: ImageFacts): ReadySpec {
  const { flags, file, image, label, bundled, found } = said;
  const ready =
    flags.ready ??
    file.ready ??
    image.ready ??
    label.ready ??
    bundled.ready ??
    found.ready ??
    readyByDefault(preset, plainPort(said, tls, facts), tls, firstSaid(said, 'tcpPorts')?.[0], facts);
  if (ready.kind === 'health' && !facts.hasHealthcheck) {
    throw new UsageError(
      `ready: { health: true } (${ready.origin}): image ${facts.reference} has no HEALTHCHECK; give it one, or declare ready: { http: /path }, { tcp: 8080 } or { log: <regular expression> }`,
    );
  }
  const asksPlainPort = ready.kind === 'tcp' || (ready.kind === 'http' && ready.tls !== true);
  return flags.port !== undefined && asksPlainPort ? { ...ready, port: flags.port } : ready;
}

/** light-fabric and openab-cp services answer GET /health; of a stranger no more than an accepted connection can be asked. */
function readyByDefault(
  preset: PresetName,
  port: number | undefined,
  tls: TlsAccess | undefined,
  bare: number | undefined,
  facts: ImageFacts,
): ReadySpec {
  const asked = port ?? tls?.port;
  if (asked === undefined && bare !== undefined) {
    return { kind: 'tcp', port: bare, origin: facts.exposedPorts.includes(bare) ? 'EXPOSE' : 'declared port' };
  }
  if (asked === undefined) return readyFromImage(facts);
  if (preset === 'baseline') {
    const origin = tls?.port !== asked && facts.exposedPorts.includes(asked) ? 'EXPOSE' : 'declared port';
    return { kind: 'tcp', port: asked, origin };
  }
  const check = { kind: 'http', port: asked, path: '/health', origin: `preset ${preset}` } as const;
  return tls?.port === asked ? { ...check, tls: true } : check;
}

/** The grace in force as the declared variable says it. */
function graceIn(graceEnv: GraceEnv | undefined, { graceMs }: Terms): Record<string, string> {
  if (graceEnv === undefined || graceMs === null) return {};
  const { name, unit } = graceEnv;
  if (unit === 'ms') return { [name]: String(graceMs) };
  if (graceMs % 1000 === 0) return { [name]: String(graceMs / 1000) };
  throw new UsageError(
    `grace ${graceMs} ms: graceEnv ${name} counts whole seconds and cannot be given that; give whole seconds, or declare unit: ms`,
  );
}
