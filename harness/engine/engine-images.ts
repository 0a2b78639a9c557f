import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type Docker from 'dockerode';
import type { ImageFacts } from '../model/engine.ts';
import { EngineError } from '../model/errors.ts';
import type { ImageArchive, RegistryCredentials } from './driver.ts';
import { LIMITS_MS } from './engine-call.ts';
import type { EngineConnection } from './engine-connection.ts';
import { signalName } from './signal-names.ts';

/** Used by both engines when an image names none. */
const DEFAULT_STOP_SIGNAL = 'TERM';

interface ImageConfig {
  readonly Entrypoint?: readonly string[] | string | null;
  readonly Cmd?: readonly string[] | null;
  readonly User?: string;
  readonly StopSignal?: string;
  readonly ExposedPorts?: Readonly<Record<string, unknown>> | null;
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly Healthcheck?: { readonly Test?: readonly string[] } | null;
}

function list(value: readonly string[] | string | null | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : (value ?? []);
}

function hasHealthcheck(config: ImageConfig): boolean {
  const test = config.Healthcheck?.Test;
  return test !== undefined && test.length > 0 && test[0] !== 'NONE';
}

function toFacts(reference: string, image: Docker.ImageInspectInfo, healthcheck: boolean): ImageFacts {
  const config = (image.Config ?? {}) as unknown as ImageConfig;
  const stopSignal = config.StopSignal;
  const variant = (image as { Variant?: string }).Variant;
  return {
    reference,
    digest: image.Id.startsWith('sha256:') ? image.Id : `sha256:${image.Id}`,
    entrypoint: list(config.Entrypoint),
    command: list(config.Cmd),
    user: config.User ?? '',
    stopSignal: stopSignal
      ? { value: signalName(stopSignal), origin: 'image' }
      : { value: DEFAULT_STOP_SIGNAL, origin: 'engine default' },
    exposedPorts: Object.keys(config.ExposedPorts ?? {})
      .filter((port) => !port.endsWith('/udp') && !port.endsWith('/sctp'))
      .map((port) => Number.parseInt(port, 10))
      .sort((a, b) => a - b),
    labels: config.Labels ?? {},
    hasHealthcheck: healthcheck,
    ...(image.Architecture ? { architecture: image.Architecture } : {}),
    ...(image.Os ? { os: image.Os } : {}),
    ...(variant ? { variant } : {}),
    repoDigests: image.RepoDigests ?? [],
  };
}

/** Undefined when the engine does not have the image. The stop signal comes from the image, never from a container. */
export async function inspectImage(connection: EngineConnection, reference: string): Promise<ImageFacts | undefined> {
  const { caller, dialect } = connection;
  const client = await connection.client();
  const image = await caller.runUnless([404], `inspect image ${reference}`, () => client.getImage(reference).inspect());
  if (image === undefined) return undefined;
  const config = (image.Config ?? {}) as unknown as ImageConfig;
  if (dialect.imagePath === undefined) return toFacts(reference, image, hasHealthcheck(config));
  const path = dialect.imagePath(image.Id.replace(/^sha256:/, ''));
  const full = (await caller.run(`inspect image ${reference}`, () => connection.get(path))) as {
    Healthcheck?: ImageConfig['Healthcheck'];
    HealthCheck?: ImageConfig['Healthcheck'];
  };
  return toFacts(reference, image, hasHealthcheck({ Healthcheck: full.Healthcheck ?? full.HealthCheck ?? null }));
}

/** `name` without a tag would pull every tag of the repository. */
function withTag(reference: string): string {
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@') ? reference : `${reference}:latest`;
}

/** Follows a progress stream; the engines report failures inside it with status 200. */
async function follow(stream: NodeJS.ReadableStream, onProgress: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  // after a failure nobody reads on, and what then becomes of the connection is no error of its own
  lines.on('error', () => undefined);
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const entry = JSON.parse(line) as {
      status?: string;
      stream?: string;
      id?: string;
      progress?: string;
      error?: string;
    };
    if (entry.error !== undefined) throw new Error(entry.error);
    const said = [entry.id, entry.status ?? entry.stream, entry.progress].filter(Boolean).join(' ').trim();
    if (said !== '') onProgress(said);
  }
}

/** Every spelling of what must not be repeated: an engine or a proxy may quote what it was sent. */
function secretsOf(credentials: RegistryCredentials | undefined): readonly string[] {
  const { username = '', password, identitytoken } = credentials ?? {};
  return [password, identitytoken]
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(`${username}:${secret}`).toString('base64')]);
}

/**
 * Pulls `reference` (tag `latest` when it names none) for a platform, the engine's where none is given. Throws EngineError
 * with the engine's own reason; credentials go into the one request and nowhere else.
 */
export async function pullImage(
  connection: EngineConnection,
  reference: string,
  onProgress: (line: string) => void,
  options: { readonly platform?: string; readonly credentials?: RegistryCredentials } = {},
): Promise<void> {
  const { platform, credentials } = options;
  const client = await connection.client();
  const secrets = secretsOf(credentials);
  const masked = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  const asked = {
    ...(platform === undefined ? {} : { platform }),
    ...(credentials === undefined ? {} : { authconfig: credentials }),
  };
  const pull = async (): Promise<void> =>
    follow(await client.pull(withTag(reference), asked), (line) => onProgress(masked(line)));
  try {
    await connection.caller.run(`pull image ${reference}`, pull, LIMITS_MS.transfer);
  } catch (error) {
    if (credentials === undefined || !(error instanceof EngineError)) throw error;
    // biome-ignore lint/style/useErrorCause: the cause is the very text that was masked
    throw new EngineError(masked(error.message), { lost: error.lost });
  }
}

/** The image as a tar stream, for `loadImage` of another engine. */
export async function saveImage(connection: EngineConnection, reference: string): Promise<ImageArchive> {
  const client = await connection.client();
  return { stream: await connection.caller.run(`save image ${reference}`, () => client.getImage(reference).get()) };
}

/** Loads a tar stream as written by `saveImage`. A source that breaks off is an EngineError, not a half image. */
export async function loadImage(
  connection: EngineConnection,
  archive: NodeJS.ReadableStream,
  onProgress: (line: string) => void,
): Promise<void> {
  const client = await connection.client();
  const load = async (): Promise<void> => {
    const broken = once(archive, 'error').then(([error]: unknown[]) => {
      throw new EngineError(`the image archive broke off: ${String(error)}`, { cause: error });
    });
    broken.catch(() => undefined);
    await Promise.race([client.loadImage(archive).then((stream) => follow(stream, onProgress)), broken]);
  };
  await connection.caller.run('load image', load, LIMITS_MS.transfer);
}

/** Gives an image one more name. */
export async function tagImage(connection: EngineConnection, id: string, repo: string, tag: string): Promise<void> {
  const client = await connection.client();
  await connection.caller.run(`tag image ${id} as ${repo}:${tag}`, () => client.getImage(id).tag({ repo, tag }));
}

/** Takes a name away (and the image with its last name); fine when already gone. */
export async function untagImage(connection: EngineConnection, reference: string): Promise<void> {
  const client = await connection.client();
  await connection.caller.runUnless([404], `untag image ${reference}`, () => client.getImage(reference).remove());
}
