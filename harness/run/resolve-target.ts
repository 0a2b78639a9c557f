import { CLAUSE_SET } from '../contract/index.ts';
import { presetByName } from '../contract/presets/index.ts';
import type { TermOverride } from '../contract/terms.ts';
import { resolveTerms } from '../contract/terms.ts';
import type { JudgementBasis, PresetName, Terms } from '../model/clause.ts';
import type { ImageFacts } from '../model/engine.ts';
import type { Profile } from '../model/profile.ts';
import type { ReadySpec, Target } from '../model/target.ts';
import type { BundledProfile } from '../profile/bundled.ts';
import { bundledPreset } from '../profile/bundled.ts';
import type { ImageDeclarations } from '../profile/image-facts.ts';
import { imageDeclarations, readyFromImage } from '../profile/image-facts.ts';
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

/** Target and judgement basis of one image: flag, else profile, else image label, else bundled profile, else baseline. */
export function resolveTarget(options: {
  readonly facts: ImageFacts;
  readonly profile?: Profile;
  readonly flags: TargetFlags;
  readonly selection: Selection;
  readonly judgedOn: string;
}): { readonly target: Target; readonly basis: JudgementBasis } {
  const { facts, profile, flags } = options;
  const image = imageDeclarations(withoutOverruled(facts, flags));
  const bundled = bundledPreset(facts.reference);
  const chosen = choosePreset(options, image, bundled);
  const preset = presetByName(chosen.preset);
  const overrides: TermOverride[] = [
    { origin: 'image label', terms: compact({ graceMs: image.graceMs }) },
    { origin: 'profile', terms: compact({ graceMs: bundled?.graceMs }) },
    {
      origin: 'profile',
      terms: compact({
        graceMs: profile?.graceMs,
        outerTimeoutMs: profile?.outerTimeoutMs,
        toleranceMs: profile?.toleranceMs,
        allowanceMs: profile?.allowanceMs,
        acceptedStatuses: profile?.acceptedStatuses,
        patterns: profile?.patterns,
      }),
    },
    { origin: 'command line', terms: compact({ graceMs: flags.graceMs, outerTimeoutMs: flags.outerTimeoutMs }) },
  ];
  const { terms, origins } = resolveTerms(preset, { stopSignal: facts.stopSignal.value, overrides });
  const levels = selectedLevels(chosen.preset, options.selection);
  const port = flags.port ?? profile?.port ?? bundled?.port ?? facts.exposedPorts[0];
  const ready =
    flags.ready ?? profile?.ready ?? image.ready ?? bundled?.ready ?? readyByDefault(chosen.preset, port, facts);
  const httpPort = ready.kind === 'http' ? ready.port : port;
  return {
    target: {
      name: facts.reference,
      image: facts.digest,
      env: { ...graceEnv(profile, terms), ...profile?.env, ...flags.env },
      ready:
        flags.port !== undefined && ready.kind !== 'log' && ready.kind !== 'settled'
          ? { ...ready, port: flags.port }
          : ready,
      startTimeoutMs: profile?.startTimeoutMs ?? START_TIMEOUT_MS,
      slowEndpoints: profile?.slowEndpoints ?? [],
      secrets: profile?.secrets ?? [],
      ...(profile?.command === undefined ? {} : { command: profile.command }),
      ...(httpPort === undefined ? {} : { httpPort }),
    },
    basis: {
      preset: chosen.preset,
      presetOrigin: chosen.origin,
      clauseSet: CLAUSE_SET,
      levels,
      required: requiredClauses(preset, levels, [...(profile?.require ?? []), ...flags.require]),
      terms,
      origins,
      waivers: profile?.waivers ?? [],
      judgedOn: options.judgedOn,
    },
  };
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

function choosePreset(
  { profile, flags }: { readonly profile?: Profile; readonly flags: TargetFlags },
  image: ImageDeclarations,
  bundled: BundledProfile | undefined,
): { preset: PresetName; origin: string } {
  if (flags.preset) return { preset: flags.preset, origin: '--preset' };
  if (profile?.preset) return { preset: profile.preset, origin: `profile ${profile.path}` };
  if (image.preset) return { preset: image.preset, origin: 'image label io.lf-qualify.preset' };
  if (bundled) return { preset: bundled.preset, origin: `bundled profile ${bundled.service}` };
  return { preset: 'baseline', origin: 'default: no flag, profile, image label or bundled profile names one' };
}

/** light-fabric and openab-cp services answer GET /health; of a stranger no more than an accepted connection can be asked. */
function readyByDefault(preset: PresetName, port: number | undefined, facts: ImageFacts): ReadySpec {
  if (port === undefined) return readyFromImage(facts);
  if (preset === 'baseline')
    return { kind: 'tcp', port, origin: facts.exposedPorts.includes(port) ? 'EXPOSE' : 'declared port' };
  return { kind: 'http', port, path: '/health', origin: `preset ${preset}` };
}

function graceEnv(profile: Profile | undefined, terms: Terms): Record<string, string> {
  return profile?.graceEnv === undefined || terms.graceMs === null ? {} : { [profile.graceEnv]: String(terms.graceMs) };
}

/** The entries that are not undefined. */
function compact<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
