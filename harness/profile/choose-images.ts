import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import { fits } from './image-name.ts';
import type { LoadOptions, ProfileSet } from './load-profile.ts';
import { loadProfile } from './load-profile.ts';

/** What `--profile` names: one file, or every `*.yaml` of a folder. */
export interface LoadedProfiles {
  readonly path: string;
  readonly folder: boolean;
  readonly sets: readonly ProfileSet[];
}

/** An image to qualify with the profile that applies. One image may be there several times, under names of its own. */
export interface ChosenImage {
  readonly reference: string;
  readonly name?: string;
  readonly profile?: Profile;
}

/**
 * Read what `--profile` names. Throws UsageError for mistakes in any file, for a folder without profiles, and for a file
 * in it that names no image: nothing would tell what it is for.
 */
export async function loadProfiles(path: string, options: LoadOptions = {}): Promise<LoadedProfiles> {
  const folder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!folder) return { path, folder, sets: [await loadProfile(path, options)] };
  const files = (await readdir(path)).filter((name) => name.endsWith('.yaml')).toSorted();
  if (files.length === 0)
    throw new UsageError(`--profile ${path}: a folder without a profile; put *.yaml files into it`);
  const loaded = await Promise.allSettled(files.map((name) => loadProfile(join(path, name), options)));
  const mistakes = loaded.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  for (const mistake of mistakes) if (!(mistake instanceof UsageError)) throw mistake;
  const sets = loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const nameless = sets
    .filter(({ entries }) => entries.length === 0)
    .map(({ name }) => `${name}:1: image: expected the image that this profile of a folder is for, found nothing`);
  const said = [...mistakes.map((mistake) => (mistake as UsageError).message), ...nameless];
  if (said.length > 0) throw new UsageError(said.join('\n'));
  return { path, folder, sets };
}

/**
 * The images of a run: those of the command line, each with the profile that is for it, or without any there all that the
 * profiles name. A profile that names neither tag nor digest is for every tag of its repository, unless another of the
 * same file is for exactly this one. Throws UsageError where nothing is named, where two files are for one image, where a
 * folder has none for it, and where two subjects would have one name.
 */
export function chooseImages(profiles: LoadedProfiles | undefined, images: readonly string[]): readonly ChosenImage[] {
  const chosen =
    images.length > 0
      ? images.flatMap((reference) => (profiles === undefined ? [{ reference }] : chosenFor(reference, profiles)))
      : (profiles?.sets ?? []).flatMap(({ entries }) =>
          entries.map((profile) => chosenAs(profile.image ?? '', profile)),
        );
  if (chosen.length === 0) {
    throw new UsageError(
      'no image is given: name one, as in lf-qualify orders:1.4, or give a --profile with "image:" or "images:"',
    );
  }
  const names = new Map<string, ChosenImage>();
  for (const image of chosen) {
    const name = image.name ?? image.reference;
    const before = names.get(name);
    if (before !== undefined) {
      const [here, there] = [image, before].map(
        ({ reference, profile }) => `${reference} (${profile?.path ?? 'command line'})`,
      );
      throw new UsageError(
        `two images would be reported as "${name}": ${there} and ${here}; give each a name: of its own`,
      );
    }
    names.set(name, image);
  }
  return chosen;
}

/**
 * The engines that the profiles ask for; none where none does. Throws UsageError where they do not agree: a run has one set
 * of engines.
 */
export function enginesOf(chosen: readonly ChosenImage[]): NonNullable<Profile['engines']> {
  const [first, ...rest] = chosen;
  const said = (image: ChosenImage | undefined): string => image?.profile?.engines?.toSorted().join(', ') ?? 'nothing';
  const other = rest.find((image) => said(image) !== said(first));
  if (other === undefined) return first?.profile?.engines ?? [];
  throw new UsageError(
    `engines: ${first?.profile?.path ?? first?.reference} says ${said(first)}, ${other.profile?.path ?? other.reference} says ${said(other)}; let them agree, or choose with --engine`,
  );
}

function chosenAs(reference: string, profile: Profile): ChosenImage {
  return { reference, profile, ...(profile.name === undefined ? {} : { name: profile.name }) };
}

function chosenFor(reference: string, { path, folder, sets }: LoadedProfiles): readonly ChosenImage[] {
  const found = sets.flatMap((set) => {
    const fitting = set.entries.map((profile) => ({ profile, fit: fits(profile.image ?? '', reference) }));
    const exact = fitting.filter(({ fit }) => fit === 'exact');
    const mine = exact.length > 0 ? exact : fitting.filter(({ fit }) => fit === 'repository');
    return mine.length === 0 ? [] : [{ set, profiles: mine.map(({ profile }) => profile) }];
  });
  const [first, second] = found;
  if (second !== undefined) {
    throw new UsageError(
      `--profile ${path}: two profiles are for image ${reference}: ${first?.set.name} and ${second.set.name}; let one of them name another`,
    );
  }
  if (first !== undefined) return first.profiles.map((profile) => chosenAs(reference, profile));
  if (!folder) return sets.map((set) => chosenAs(reference, set.defaults()));
  const known = new Set(sets.flatMap(({ entries }) => entries.map(({ image }) => image)));
  throw new UsageError(
    `--profile ${path}: no profile is for image ${reference}; there are those for ${[...known].join(', ')}`,
  );
}
