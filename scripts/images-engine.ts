import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Dockerode from 'dockerode';
import type { ImagePlan } from './images-plan.ts';
import { INPUTS_LABEL, stageContext } from './images-plan.ts';

export type ImageEngineName = 'docker' | 'podman';

/** An engine that images are built on or carried to. */
export interface ImageEngine {
  readonly name: ImageEngineName;
  readonly api: Dockerode;
}

/** Where each engine answers: the environment first, then the well-known place. */
const sockets: Readonly<Record<ImageEngineName, readonly (string | undefined)[]>> = {
  docker: [process.env['DOCKER_HOST'], 'unix:///var/run/docker.sock'],
  podman: [process.env['CONTAINER_HOST'], 'unix:///run/podman/podman.sock'],
};

const isPodman = async (api: Dockerode): Promise<boolean> => {
  const version = (await api.version()) as { Components?: readonly { Name?: string }[] };
  return version.Components?.[0]?.Name === 'Podman Engine';
};

/** Connects to an engine; undefined when nothing answers at its sockets. Only local sockets: an image is built here. */
export const connect = async (name: ImageEngineName): Promise<ImageEngine | undefined> => {
  for (const address of sockets[name]) {
    if (!address?.startsWith('unix://')) continue;
    const api = new Dockerode({ socketPath: address.slice('unix://'.length) });
    const found = await isPodman(api).catch(() => undefined);
    if (found === (name === 'podman')) return { name, api };
  }
  return undefined;
};

/** Id and inputs of what an engine has under a tag; undefined when it has nothing. */
export const existing = async (
  engine: ImageEngine,
  tag: string,
): Promise<{ id: string; inputs: string } | undefined> => {
  try {
    const image = await engine.api.getImage(tag).inspect();
    return { id: image.Id.replace(/^sha256:/, ''), inputs: image.Config?.Labels?.[INPUTS_LABEL] ?? '' };
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return undefined;
    throw error;
  }
};

/** Follows a build or load to its end; the engine reports failure inside a 200 answer. */
const finish = (engine: ImageEngine, stream: NodeJS.ReadableStream, what: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const lines: string[] = [];
    let failure: string | undefined;
    engine.api.modem.followProgress(
      stream,
      (error) => {
        const why = error?.message ?? failure;
        if (why === undefined) resolve();
        else reject(new Error(`${engine.name}: ${what} failed: ${why}\n${lines.join('')}`, { cause: error }));
      },
      (event: { stream?: string; error?: string }) => {
        lines.push(event.stream ?? event.error ?? '');
        failure ??= event.error;
      },
    );
  });

/**
 * Names an image, by its id, so that `lf-qualify/<name>:dev` means it. Podman looks under `localhost/…` and
 * `docker.io/…`: both names move together. Docker knows `localhost/…` as another name, which an archive of Podman brings.
 */
const giveName = async (engine: ImageEngine, image: ImagePlan, id: string): Promise<void> => {
  const name = `lf-qualify/${image.name}`;
  for (const repo of engine.name === 'podman' ? [`localhost/${name}`, `docker.io/${name}`] : [name]) {
    await engine.api.getImage(id).tag({ repo, tag: 'dev' });
  }
  if (engine.name === 'docker' && (await existing(engine, `localhost/${name}:dev`))) {
    await engine.api.getImage(`localhost/${name}:dev`).remove();
  }
};

/** Builds with the classic builder of the engine's API: no registry, no BuildKit, no network. */
export const build = async (engine: ImageEngine, image: ImagePlan): Promise<void> => {
  const context = await mkdtemp(join(tmpdir(), 'lf-qualify-image-'));
  try {
    await stageContext(image, context);
    const stream = await engine.api.buildImage(
      { context, src: await readdir(context) },
      {
        t: image.tag,
        labels: { [INPUTS_LABEL]: image.inputs },
        networkmode: 'none',
        rm: true,
        forcerm: true,
        pull: undefined,
      },
    );
    await finish(engine, stream, `building ${image.tag}`);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  const built = await existing(engine, image.tag);
  if (!built) throw new Error(`${engine.name}: ${image.tag} is not there after its build`);
  await giveName(engine, image, built.id);
};

/** Carries images over in one archive, so that shared layers travel once; fails unless each keeps its id. */
export const carry = async (from: ImageEngine, to: ImageEngine, images: readonly ImagePlan[]): Promise<void> => {
  const archive = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    from.api.modem.dial(
      {
        path: '/images/get?',
        options: { names: images.map((image) => image.tag) },
        method: 'GET',
        isStream: true,
        statusCodes: { 200: true, 404: 'no such image', 500: 'server error' },
      },
      (error: unknown, stream: unknown) => (error ? reject(error) : resolve(stream as NodeJS.ReadableStream)),
    );
  });
  await finish(to, await to.api.loadImage(archive), `loading ${images.map((image) => image.name).join(', ')}`);
  for (const image of images) {
    const source = await existing(from, image.tag);
    if (!source) throw new Error(`${from.name}: ${image.tag} went away while it was carried over`);
    // under its id: what the other engine made of the name in the archive is its own affair
    if (await existing(to, source.id)) await giveName(to, image, source.id);
    const arrived = await existing(to, image.tag);
    if (arrived?.id !== source.id) {
      throw new Error(`${image.tag} is ${source.id} on ${from.name} but ${arrived?.id ?? 'missing'} on ${to.name}`);
    }
  }
};
