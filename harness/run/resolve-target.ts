import { CLAUSE_SET, clauses } from '../contract/index.ts';
import { presetByName } from '../contract/presets/index.ts';
import type { TermOverride } from '../contract/terms.ts';
import { resolveTerms } from '../contract/terms.ts';
import type { JudgementBasis, PresetName, Terms } from '../model/clause.ts';
import type { ImageFacts } from '../model/engine.ts';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { GraceEnv, ReadySpec, Target, TlsAccess } from '../model/target.ts';
import type { BundledProfile } from '../profile/bundled.ts';
import { bundledPreset } from '../profile/bundled.ts';
import type { ImageDeclarations } from '../profile/image-facts.ts';
import { imageDeclarations, readyFromImage } from '../profile/image-facts.ts';
import { emptyProfile, overruledBy } from '../profile/overruled.ts';
import type { Selection } from './plan.ts';
import { selectedLevels } from './plan.ts';
import { requiredClauses } from './required.ts';

/** What the command line says about every image of the run. */
export interface TargetFlags {
  readonly preset?: PresetName;
  readonly graceMs?: number;
  readonly outerTimeoutMs?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly ready?: ReadySpec;
  readonly require: readonly string[];
}

const START_TIMEOUT_MS = 30_000;

/**
 * Target and judgement basis of one image: flag, else profile, else image label, else bundled profile, else baseline.
 * Throws UsageError for a label that cannot be read, and for a grace that the declared variable cannot say.
 */
export function resolveTarget(options: {
  readonly facts: ImageFacts;
  readonly profile?: Profile;
  readonly flags: TargetFlags;
  readonly selection: Selection;
  readonly judgedOn: string;
}): { readonly target: Target; readonly basis: JudgementBasis } {
  const { facts, flags } = options;
  const image = imageDeclarations(
    withoutOverruled(facts, flags),
    clauses.map(({ id }) => id),
  );
  const file = options.profile ?? emptyProfile;
  const label = image.profile === undefined ? emptyProfile : overruledBy(image.profile, options.profile);
  const said: Said = { flags, file, image, label, bundled: bundledPreset(facts.reference) };
  const chosen = choosePreset(said);
  const preset = presetByName(chosen.preset);
  const { terms, origins } = resolveTerms(preset, { stopSignal: facts.stopSignal.value, overrides: overridesOf(said) });
  const levels = selectedLevels(chosen.preset, options.selection);
  const layers: readonly Partial<Profile>[] = [file, label, said.bundled ?? {}];
  const first = <K extends keyof Profile>(key: K): Profile[K] | undefined =>
    layers.find((layer) => layer[key] !== undefined)?.[key];
  const tls = first('tls');
  const ready = readyOf(said, chosen.preset, tls, facts);
  const port = plainPort(said, tls, facts);
  // Where the check is HTTP in the clear, its port is proven to carry that.
  const httpPort = ready.kind === 'http' && ready.tls !== true ? ready.port : port;
  const graceEnv = first('graceEnv');
  const endpoints = (key: keyof Target['endpoints']) => [...file.endpoints[key], ...label.endpoints[key]];
  return {
    target: {
      name: facts.reference,
      image: facts.digest,
      env: { ...graceIn(graceEnv, terms), ...label.env, ...file.env, ...flags.env },
      ready,
      startTimeoutMs: first('startTimeoutMs') ?? START_TIMEOUT_MS,
      endpoints: {
        slow: endpoints('slow'),
        stream: endpoints('stream'),
        sse: endpoints('sse'),
        upload: endpoints('upload'),
        control: endpoints('control'),
      },
      faults: { ...label.faults, ...file.faults },
      secrets: [...label.secrets, ...file.secrets],
      ...compact({ command: first('command'), tls, graceEnv, registry: first('registry') }),
      ...(httpPort === undefined || httpPort === tls?.port ? {} : { httpPort }),
    },
    basis: {
      preset: chosen.preset,
      presetOrigin: chosen.origin,
      clauseSet: CLAUSE_SET,
      levels,
      required: requiredClauses(
        preset,
        levels,
        [...label.require, ...file.require, ...flags.require],
        httpPort !== undefined || tls !== undefined,
      ),
      terms,
      origins,
      waivers: [...label.waivers, ...file.waivers],
      judgedOn: options.judgedOn,
    },
  };
}

/** All that is said about an image, by who says it. `label` is what the profile in its label has left to say. */
interface Said {
  readonly flags: TargetFlags;
  readonly file: Profile;
  readonly image: ImageDeclarations;
  readonly label: Profile;
  readonly bundled: BundledProfile | undefined;
}

/** From the weakest to the strongest. */
function overridesOf({ flags, file, image, label, bundled }: Said): TermOverride[] {
  return [
    { origin: 'profile', terms: compact({ graceMs: bundled?.graceMs }) },
    { origin: 'image label', terms: termsOf(label) },
    { origin: 'image label', terms: compact({ graceMs: image.graceMs }) },
    { origin: 'profile', terms: termsOf(file) },
    { origin: 'command line', terms: compact({ graceMs: flags.graceMs, outerTimeoutMs: flags.outerTimeoutMs }) },
  ];
}

function termsOf(profile: Profile): Partial<Terms> {
  const { graceMs, outerTimeoutMs, toleranceMs, allowanceMs, acceptedStatuses, zeroGrace, patterns } = profile;
  return compact({ graceMs, outerTimeoutMs, toleranceMs, allowanceMs, acceptedStatuses, zeroGrace, patterns });
}

/** EXPOSE names ports and not what they carry: a profile that declares TLS and no plain port is not second-guessed by it. */
function plainPort({ flags, file, label, bundled }: Said, tls: TlsAccess | undefined, facts: ImageFacts) {
  const declared = flags.port ?? file.port ?? label.port ?? bundled?.port;
  return declared ?? (tls === undefined ? facts.exposedPorts[0] : undefined);
}

function readyOf(said: Said, preset: PresetName, tls: TlsAccess | undefined, facts: ImageFacts): ReadySpec {
  const { flags, file, image, label, bundled } = said;
  const ready =
    flags.ready ??
    file.ready ??
    image.ready ??
    label.ready ??
    bundled?.ready ??
    readyByDefault(preset, plainPort(said, tls, facts), tls, facts);
  const asksPlainPort = ready.kind === 'tcp' || (ready.kind === 'http' && ready.tls !== true);
  return flags.port !== undefined && asksPlainPort ? { ...ready, port: flags.port } : ready;
}

/** A label that a flag overrules is not read, so that a wrong one can be overruled. */
function withoutOverruled(facts: ImageFacts, flags: TargetFlags): ImageFacts {
  const overruled = new Set([
    ...(flags.preset === undefined ? [] : ['io.lf-qualify.preset']),
    ...(flags.ready === undefined ? [] : ['io.lf-qualify.ready']),
    ...(flags.graceMs === undefined ? [] : ['io.lf-qualify.grace']),
  ]);
  return {
    ...facts,
    labels: Object.fromEntries(Object.entries(facts.labels).filter(([label]) => !overruled.has(label))),
  };
}

function choosePreset({ flags, file, image, label, bundled }: Said): { preset: PresetName; origin: string } {
  if (flags.preset) return { preset: flags.preset, origin: '--preset' };
  if (file.preset) return { preset: file.preset, origin: `profile ${file.path}` };
  if (image.preset) return { preset: image.preset, origin: 'image label io.lf-qualify.preset' };
  if (label.preset) return { preset: label.preset, origin: 'image label io.lf-qualify.profile' };
  if (bundled) return { preset: bundled.preset, origin: `bundled profile ${bundled.service}` };
  return { preset: 'baseline', origin: 'default: no flag, profile, image label or bundled profile names one' };
}

/** light-fabric and openab-cp services answer GET /health; of a stranger no more than an accepted connection can be asked. */
function readyByDefault(
  preset: PresetName,
  port: number | undefined,
  tls: TlsAccess | undefined,
  facts: ImageFacts,
): ReadySpec {
  const asked = port ?? tls?.port;
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

/** The entries that are not undefined. */
function compact<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
