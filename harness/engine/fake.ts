import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { EngineFacts, ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { ContainerSpec, EngineDriver, OwnedObject, Ownership, RegistryCredentials, StartHooks } from './driver.ts';
import type { FakeProgram } from './fake-behaviour.ts';
import { FakeContainer } from './fake-container.ts';
import { readPlacedFiles } from './placed-files.ts';
import { runOfImage } from './owned-objects.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { virtualClock } from './virtual-clock.ts';

export interface FakeImage {
  readonly facts: ImageFacts;
  readonly program: FakeProgram;
}

export interface FakeOptions {
  /** Images by the name the engine knows them under. */
  readonly images: Readonly<Record<string, FakeImage>>;
  /** @default a virtual clock that jumps by itself */
  readonly clock?: VirtualClock;
  /** Virtual time of every call, ms. @default 0 */
  readonly latencyMs?: number;
  /** The error a call fails with, asked before each; `call` starts with its name: `kill`, `inspect`, `start`. */
  readonly fail?: (call: string) => Error | undefined;
  readonly facts?: Partial<EngineFacts>;
  /** What a pull brings, for what it asks; may throw. @default what is there already */
  readonly registry?: (
    reference: string,
    asked: { readonly platform?: string; readonly credentials?: RegistryCredentials },
  ) => FakeImage | undefined;
  /** An engine that has no init to put in front of a container. */
  readonly noInit?: true;
}

/** A driver with its clock and a view of what was made. */
export interface FakeEngine extends EngineDriver {
  readonly clock: VirtualClock;
  /** Containers that were not removed yet, in order of creation. */
  containers(): readonly FakeContainer[];
}

const FACTS: EngineFacts = {
  name: 'fake',
  version: '1.0.0',
  apiVersion: '1.0',
  address: 'fake://',
  rootless: false,
  local: false,
  id: 'fake',
  clockOffsetMs: 0,
  clockErrorMs: 0,
};

/** The host's address on every network of a fake engine, from a range that belongs to nobody. */
const FAKE_GATEWAY = '192.0.2.254';

/** Facts of an image that names nothing special. */
export function fakeImageFacts(reference: string, more: Partial<ImageFacts> = {}): ImageFacts {
  return {
    reference,
    digest: `sha256:${Buffer.from(reference).toString('hex').padEnd(64, '0').slice(0, 64)}`,
    entrypoint: [],
    command: [],
    user: '',
    stopSignal: { value: 'TERM', origin: 'engine default' },
    exposedPorts: [],
    labels: {},
    hasHealthcheck: false,
    repoDigests: [],
    ...more,
  };
}

/** What was saved, by digest: the archive of a fake image is its digest, which any fake engine can load. */
const saved = new Map<string, FakeImage>();

/** An engine without processes: scripted containers on a virtual clock, no real waiting. */
export function fakeEngine(options: FakeOptions): FakeEngine {
  const clock = options.clock ?? virtualClock({ auto: true });
  const images = new Map(Object.entries(options.images));
  const containers = new Map<string, FakeContainer>();
  const networks = new Map<string, { readonly name: string; readonly ownership: Ownership }>();
  let made = 0;

  async function call(name: string): Promise<void> {
    const error = options.fail?.(name);
    if (error) throw error;
    if (options.latencyMs) await clock.sleep(options.latencyMs);
  }

  function find(reference: string): FakeImage | undefined {
    return images.get(reference) ?? [...images.values()].find(({ facts }) => facts.digest === reference);
  }

  function need(reference: string): FakeImage {
    const image = find(reference);
    if (image) return image;
    throw new EngineError(`fake: image ${reference}: the engine does not have it: pull or load it first`);
  }

  async function start(spec: ContainerSpec, hooks: StartHooks = {}): Promise<FakeContainer> {
    await call(`start ${spec.name}`);
    const { facts, program } = need(spec.image);
    if (spec.init && options.noInit) {
      throw new EngineError(`fake: start ${spec.name}: container-init binary not found`, { missing: 'init' });
    }
    await readPlacedFiles(spec);
    const id = `fake${String(++made).padStart(60, '0')}`;
    const host = {
      clock,
      call,
      pid: 1000 + made,
      stopSignal: facts.stopSignal.value,
      ...(spec.network === undefined ? {} : { address: `192.0.2.${made}` }),
      gone: (gone: string) => void containers.delete(gone),
    };
    const container = new FakeContainer(id, spec, program(spec), host, hooks);
    containers.set(id, container);
    return container;
  }

  function running(id: string): FakeContainer {
    const container = containers.get(id);
    if (container) return container;
    throw new EngineError(`fake: ${id}: no such container`);
  }

  async function owned(): Promise<readonly OwnedObject[]> {
    await call('list');
    return [
      ...[...containers.values()].map(({ id, name, spec }) => ({
        type: 'container' as const,
        id,
        name,
        ...spec.ownership,
      })),
      ...[...networks].map(([id, { name, ownership }]) => ({ type: 'network' as const, id, name, ...ownership })),
      ...[...images].flatMap(([name, { facts }]) => {
        const ownership = runOfImage(name);
        return ownership === undefined ? [] : [{ type: 'image' as const, id: facts.digest, name, ...ownership }];
      }),
    ];
  }

  return {
    name: 'fake',
    clock,
    containers: () => [...containers.values()],
    facts: async () => {
      await call('facts');
      return { ...FACTS, ...options.facts };
    },
    inspectImage: async (reference) => {
      await call(`inspect image ${reference}`);
      const image = find(reference);
      return image && { ...image.facts, reference };
    },
    pullImage: async (reference, onProgress, asked = {}) => {
      await call(`pull image ${reference}`);
      const pulled = options.registry?.(reference, asked);
      if (pulled) images.set(reference, pulled);
      need(reference);
      onProgress(`${reference} is up to date`);
    },
    saveImage: async (reference) => {
      await call(`save image ${reference}`);
      const image = need(reference);
      saved.set(image.facts.digest, image);
      return { stream: Readable.from([image.facts.digest]) };
    },
    loadImage: async (archive, onProgress) => {
      await call('load image');
      const digest = await text(archive);
      const image = saved.get(digest);
      if (image) images.set(digest, image);
      onProgress(`loaded ${need(digest).facts.digest}`);
    },
    tagImage: async (id, repository, tag) => {
      await call(`tag image ${id}`);
      images.set(`${repository}:${tag}`, need(id));
    },
    untagImage: async (reference) => {
      await call(`untag image ${reference}`);
      images.delete(reference);
    },
    createNetwork: async (name, { ownership }) => {
      await call(`create network ${name}`);
      const id = `network${++made}`;
      networks.set(id, { name, ownership });
      return id;
    },
    removeNetwork: async (id) => {
      await call(`remove network ${id}`);
      networks.delete(id);
    },
    gatewayOf: async (network) => {
      await call(`inspect network ${network}`);
      const known = networks.has(network) || [...networks.values()].some(({ name }) => name === network);
      if (!known) throw new EngineError(`fake: inspect network ${network}: no such network`);
      return FAKE_GATEWAY;
    },
    start,
    startSidecar: async ({ name }) => {
      await call(`start sidecar ${name}`);
      throw new EngineError(`fake: start sidecar ${name}: no process runs here`);
    },
    hold: start,
    stateOf: async (id) => await running(id).inspect(),
    runIn: async (id, command, limitMs) => await running(id).command(command, limitMs),
    readFolder: async (id, path) => await running(id).folder(path),
    healthOf: async (id) => {
      const container = running(id);
      return need(container.spec.image).facts.hasHealthcheck ? await container.health() : 'none';
    },
    owned,
    removeOwned: async (object) => {
      if (object.type === 'container') await containers.get(object.id)?.remove();
      else if (object.type === 'network') networks.delete(object.id);
      else images.delete(object.name);
    },
    close: () => undefined,
  };
}
