import type { ImageEngine, ImageEngineName } from './images-engine.ts';
import { build, carry, connect, existing } from './images-engine.ts';
import type { ImagePlan } from './images-plan.ts';
import { planImages } from './images-plan.ts';
import { parseArgs } from 'node:util';

const isEngineName = (name: string): name is ImageEngineName => name === 'docker' || name === 'podman';

const connectAll = async (asked: readonly string[]): Promise<readonly ImageEngine[]> => {
  const engines: ImageEngine[] = [];
  for (const name of asked.length > 0 ? asked : ['docker', 'podman']) {
    if (!isEngineName(name)) throw new Error(`--engine ${name}: use docker or podman`);
    const engine = await connect(name);
    if (engine) engines.push(engine);
    else if (asked.length > 0) throw new Error(`--engine ${name}: nothing answers at its socket; start it`);
  }
  if (engines.length === 0) throw new Error('neither docker nor podman answers at its socket; start one');
  return engines;
};

const has = async (engine: ImageEngine, image: ImagePlan): Promise<boolean> =>
  (await existing(engine, image.tag))?.inputs === image.inputs;

const differs = async (first: ImageEngine, other: ImageEngine, image: ImagePlan): Promise<boolean> => {
  const [source, target] = await Promise.all([existing(first, image.tag), existing(other, image.tag)]);
  return source?.id !== target?.id;
};

const filter = async <T>(list: readonly T[], keep: (item: T) => Promise<boolean>): Promise<readonly T[]> => {
  const kept = await Promise.all(list.map(keep));
  return list.filter((_, index) => kept[index]);
};

const carryWithProgress = async (from: ImageEngine, to: ImageEngine, images: readonly ImagePlan[]): Promise<void> => {
  if (images.length === 0) return;
  console.log(`images: carrying ${images.map((image) => image.name).join(', ')} from ${from.name} to ${to.name}`);
  await carry(from, to, images);
};

/** Builds what is missing or old on the first engine and gives every other engine the same bytes. */
const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    options: { engine: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  const engines = await connectAll(values.engine);
  const images = await planImages(positionals);
  const [first, ...others] = engines;
  if (!first) return;
  let missing = await filter(images, async (image) => !(await has(first, image)));
  for (const other of others) {
    const there = await filter(missing, (image) => has(other, image));
    await carryWithProgress(other, first, there);
    missing = missing.filter((image) => !there.includes(image));
  }
  for (const image of missing) {
    console.log(`images: building ${image.tag} on ${first.name}`);
    await build(first, image);
  }
  for (const other of others) {
    await carryWithProgress(first, other, await filter(images, (image) => differs(first, other, image)));
  }
  console.log(`images: ${images.length} ready on ${engines.map((engine) => engine.name).join(' and ')}`);
};

try {
  await main();
} catch (error) {
  console.error(`images: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
