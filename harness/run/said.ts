import type { TermOverride } from '../contract/terms.ts';
import type { Origin, PresetName, Terms } from '../model/clause.ts';
import type { ImageFacts } from '../model/engine.ts';
import type { Profile } from '../model/profile.ts';
import type { ReadySpec } from '../model/target.ts';
import { bundledProfile } from '../profile/bundled.ts';
import type { ImageDeclarations } from '../profile/image-facts.ts';
import { imageDeclarations } from '../profile/image-facts.ts';
import { emptyProfile, overruledBy } from '../profile/overruled.ts';
import { originOf } from '../profile/value-origin.ts';

/** What the command line says about every image of the run. */
export interface TargetFlags {
  readonly preset?: PresetName;
  readonly graceMs?: number;
  readonly outerTimeoutMs?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly ready?: ReadySpec;
  /** Without SIG. */
  readonly stopSignal?: string;
  readonly require: readonly string[];
  /** `false`: the profile in the image's label is not read. */
  readonly labelProfile?: boolean;
}

/** All that is said about an image, by who says it: each profile is what the stronger ones have left it to say. */
export interface Said {
  readonly flags: TargetFlags;
  readonly file: Profile;
  readonly image: ImageDeclarations;
  readonly label: Profile;
  /** The profile that comes with the product, or an empty one. */
  readonly bundled: Profile;
  /** What a look at the running image told, or an empty one: the weakest. */
  readonly found: Profile;
  /** Its name, where there is one. */
  readonly service?: string;
  /** The profiles, the strongest first. */
  readonly profiles: readonly Profile[];
}

/**
 * Gather what is said about an image. Throws UsageError for a label that cannot be read, unless a flag overrules it.
 * `clauses`: all clause ids, for what a profile in a label requires or waives. `discovered`: what a look at the running
 * image told.
 */
export function gather(
  facts: ImageFacts,
  profile: Profile | undefined,
  flags: TargetFlags,
  clauses: readonly string[],
  discovered: Profile = emptyProfile,
): Said {
  const image = imageDeclarations(withoutOverruled(facts, flags), clauses);
  const file = profile ?? emptyProfile;
  const label = image.profile === undefined ? emptyProfile : overruledBy(image.profile, file);
  const known = bundledProfile(facts.reference);
  const bundled = known === undefined ? emptyProfile : overruledBy(overruledBy(known.profile, image.profile), file);
  const found = [known?.profile, image.profile, file].reduce<Profile>(overruledBy, discovered);
  return {
    flags,
    file,
    image,
    label,
    bundled,
    found,
    ...(known === undefined ? {} : { service: known.service }),
    profiles: [file, label, bundled, found],
  };
}

/** What the strongest profile that says something says under a key. */
export function firstSaid<K extends keyof Profile>({ profiles }: Said, key: K): Profile[K] | undefined {
  return profiles.find((profile) => profile[key] !== undefined)?.[key];
}

/** Terms from the weakest to the strongest. */
export function overridesOf({ flags, file, image, label, bundled, found, service }: Said): TermOverride[] {
  return [
    ...termsOf(found, 'discovery'),
    ...termsOf(bundled, `bundled profile ${service ?? ''}`),
    ...termsOf(label, 'image label'),
    ...term('graceMs', image.graceMs, 'image label'),
    ...termsOf(file, 'profile'),
    ...term('graceMs', flags.graceMs, 'command line'),
    ...term('outerTimeoutMs', flags.outerTimeoutMs, 'command line'),
  ];
}

/** The key of a profile that says a term; the rest say it under its own name, without `Ms`. */
const KEYS: Readonly<Partial<Record<keyof Terms, string>>> = { acceptedStatuses: 'accept', patterns: 'logs' };

type NotPreset = Exclude<Origin, 'preset'>;

function termsOf(profile: Profile, said: NotPreset): TermOverride[] {
  const { graceMs, outerTimeoutMs, toleranceMs, allowanceMs, acceptedStatuses, zeroGrace, patterns } = profile;
  const lifted = { graceMs, outerTimeoutMs, toleranceMs, allowanceMs, acceptedStatuses, zeroGrace };
  const logs = Object.keys(patterns).length === 0 ? {} : { patterns };
  const terms: Partial<Record<keyof Terms, unknown>> = { ...profile.terms, ...lifted, ...logs };
  return (Object.keys(terms) as (keyof Terms)[]).flatMap((name) => {
    const key = KEYS[name] ?? name.replace(/Ms$/, '');
    return term(name, terms[name], originOf(key, said, profile.about?.origins) as NotPreset);
  });
}

function term(name: keyof Terms, value: unknown, origin: NotPreset): TermOverride[] {
  return value === undefined ? [] : [{ origin, terms: { [name]: value } as Partial<Terms> }];
}

/** Which preset applies, and why. */
export function choosePreset({ flags, file, image, label, bundled, service }: Said): {
  readonly preset: PresetName;
  readonly origin: string;
} {
  if (flags.preset) return { preset: flags.preset, origin: '--preset' };
  if (file.preset) return { preset: file.preset, origin: `profile ${file.path}` };
  if (image.preset) return { preset: image.preset, origin: 'image label io.lf-qualify.preset' };
  if (label.preset) return { preset: label.preset, origin: 'image label io.lf-qualify.profile' };
  if (bundled.preset) return { preset: bundled.preset, origin: `bundled profile ${service ?? ''}` };
  return { preset: 'baseline', origin: 'default: no flag, profile, image label or bundled profile names one' };
}

/** A label that a flag overrules is not read, so that a wrong one can be overruled. */
function withoutOverruled(facts: ImageFacts, flags: TargetFlags): ImageFacts {
  const overruled = new Set([
    ...(flags.preset === undefined ? [] : ['io.lf-qualify.preset']),
    ...(flags.ready === undefined ? [] : ['io.lf-qualify.ready']),
    ...(flags.graceMs === undefined ? [] : ['io.lf-qualify.grace']),
    ...(flags.labelProfile === false ? ['io.lf-qualify.profile'] : []),
  ]);
  return {
    ...facts,
    labels: Object.fromEntries(Object.entries(facts.labels).filter(([label]) => !overruled.has(label))),
  };
}
