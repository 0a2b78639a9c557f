import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sample } from '../images/gallery/sample.ts';
import { artifacts } from './images-artifacts.ts';

const root = join(import.meta.dirname, '..');

/** Raise it when the way images are built changes what is in them. */
const recipeVersion = '1';

/** What an image's folder says about it. */
export interface ImagePlan {
  readonly name: string;
  /** `lf-qualify/<name>:dev` */
  readonly tag: string;
  readonly folder: string;
  /** The image of this repository it is built FROM, if any. */
  readonly parent: string | undefined;
  /** Files of the folder that go into the build, relative. */
  readonly files: readonly string[];
  readonly artifacts: readonly string[];
  /** Hash of everything that decides its content; stored in the label. */
  readonly inputs: string;
}

/** Label that holds the hash of an image's inputs. */
export const INPUTS_LABEL = 'io.lf-qualify.inputs';

const isInput = (file: string): boolean => !/\.test\.ts$|\.md$|^expected\.yaml$|^lf-qualify\.yaml$/.test(file);

/** Folders under images/ that hold images of their own: `images/gallery/nginx` is the image `gallery-nginx`. */
const groups = ['gallery'];

const foldersWithDockerfile = async (parent: string): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (entry.isDirectory() && (await readdir(join(parent, entry.name))).includes('Dockerfile')) names.push(entry.name);
  }
  return names;
};

/** Image folders: those under images/ with a Dockerfile, those of the groups, and the helper. */
const imageFolders = async (): Promise<ReadonlyMap<string, string>> => {
  const folders = new Map([['helper', join(root, 'helper')]]);
  const images = join(root, 'images');
  for (const name of await foldersWithDockerfile(images)) folders.set(name, join(images, name));
  for (const group of groups) {
    for (const name of await foldersWithDockerfile(join(images, group))) {
      folders.set(`${group}-${name}`, join(images, group, name));
    }
  }
  return folders;
};

const groupOf = (name: string): string | undefined => groups.find((group) => name.startsWith(`${group}-`));

/** What is built when nothing is named: all but the groups, of which `npm test` takes a sample. */
const isUsual = (name: string): boolean => {
  const group = groupOf(name);
  return group === undefined || (group === 'gallery' && sample.includes(name.slice('gallery-'.length)));
};

/** Names of images, with the name of a group for all of it. */
const spellOut = (names: readonly string[], known: readonly string[]): readonly string[] =>
  names.length === 0
    ? known.filter(isUsual)
    : names.flatMap((name) => (groups.includes(name) ? known.filter((image) => groupOf(image) === name) : [name]));

const readFolder = async (name: string, folder: string): Promise<Omit<ImagePlan, 'inputs'>> => {
  const dockerfile = await readFile(join(folder, 'Dockerfile'), 'utf8');
  const used = [...dockerfile.matchAll(/^COPY artifacts\/([^\s/]+)/gm)].map((match) => match[1] ?? '');
  for (const artifact of used) {
    if (!(artifact in artifacts))
      throw new Error(`${folder}/Dockerfile copies artifacts/${artifact}: there is no such artifact`);
  }
  const all = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
  // the helper comes as one artifact: its sources are not part of its image
  const files = name === 'helper' ? ['Dockerfile'] : all.filter(isInput).sort();
  const parent = /^FROM lf-qualify\/([^:\s]+):dev/m.exec(dockerfile)?.[1];
  return { name, tag: `lf-qualify/${name}:dev`, folder, parent, files, artifacts: used };
};

const hashInputs = async (image: Omit<ImagePlan, 'inputs'>, parentInputs: string): Promise<string> => {
  const hash = createHash('sha256').update(`${recipeVersion}\0${process.arch}\0${parentInputs}`);
  for (const file of image.files) hash.update(`\0${file}\0`).update(await readFile(join(image.folder, file)));
  for (const artifact of image.artifacts) {
    const inputs = (await artifacts[artifact]?.inputs(image.folder)) ?? [];
    for (const file of inputs) hash.update(`\0${artifact}\0`).update(await readFile(file));
  }
  return hash.digest('hex');
};

/**
 * The usual images of the repository, or the named ones and groups, with what they are built FROM; parents come first.
 * @throws {Error} when a name has no folder with a Dockerfile
 */
export const planImages = async (names: readonly string[]): Promise<readonly ImagePlan[]> => {
  const folders = await imageFolders();
  const planned = new Map<string, ImagePlan>();
  const plan = async (name: string, wantedBy: string): Promise<ImagePlan> => {
    const known = planned.get(name);
    if (known) return known;
    const folder = folders.get(name);
    if (!folder) throw new Error(`no image ${name} (${wantedBy}); there are: ${[...folders.keys()].sort().join(', ')}`);
    const image = await readFolder(name, folder);
    const parentInputs = image.parent === undefined ? '' : (await plan(image.parent, `FROM of ${name}`)).inputs;
    const whole = { ...image, inputs: await hashInputs(image, parentInputs) };
    planned.set(name, whole);
    return whole;
  };
  for (const name of spellOut(names, [...folders.keys()].sort())) await plan(name, 'asked for');
  return [...planned.values()];
};

/** Puts the build context of an image into an empty folder. */
export const stageContext = async (image: ImagePlan, into: string): Promise<void> => {
  for (const file of image.files) await cp(join(image.folder, file), join(into, file));
  for (const artifact of image.artifacts) {
    await mkdir(join(into, 'artifacts'), { recursive: true });
    await artifacts[artifact]?.provide(image.folder, join(into, 'artifacts', artifact));
  }
};
