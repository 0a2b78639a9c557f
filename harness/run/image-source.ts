import type { EngineDriver, RegistryCredentials } from '../engine/driver.ts';
import type { EngineName, ImageFacts } from '../model/engine.ts';
import { EngineError, UsageError } from '../model/errors.ts';
import { isOfPlatform, platformOf } from './platform.ts';

/** When an image is pulled: where no engine has it, before anything else, or not at all. */
export const pullPolicies = ['missing', 'always', 'never'] as const;
export type PullPolicy = (typeof pullPolicies)[number];

/** Which bytes an image stands for, and where they come from. */
export interface ImageChoice {
  /** @default missing */
  readonly pull?: PullPolicy;
  /** `os/arch[/variant]`: what is pulled, and what a found image must be. Absent: whatever is found, else the engine's. */
  readonly platform?: string;
  /** The engine that the bytes come from, also one that is not judged on. Absent: the first that has them. */
  readonly from?: EngineDriver;
  /** What the engine's own client would send to the registry of a reference. Absent: nothing. */
  readonly credentials?: (engine: EngineName, reference: string) => Promise<RegistryCredentials | undefined>;
}

/** What is looked for, and what the engines of the run have of it. */
export interface Search {
  readonly reference: string;
  readonly drivers: readonly EngineDriver[];
  /** What each driver has under the reference. */
  readonly found: readonly (ImageFacts | undefined)[];
  readonly say: (line: string) => void;
  readonly choice: ImageChoice;
}

/**
 * The one engine whose bytes count, and the image on it. Pulls it where `choice` says so. Throws UsageError naming the image
 * when it is nowhere, cannot be pulled, or is of another platform.
 */
export async function sourceOf(search: Search): Promise<{ readonly from: EngineDriver; readonly source: ImageFacts }> {
  const { reference, drivers, found, choice } = search;
  const { pull = 'missing', from, platform } = choice;
  const candidates = from === undefined ? drivers : [from];
  const there = await Promise.all(
    candidates.map(async (driver) => {
      const at = drivers.indexOf(driver);
      return { driver, facts: at < 0 ? await driver.inspectImage(reference) : found[at] };
    }),
  );
  const has = there.flatMap(({ driver, facts }) => (facts === undefined ? [] : [{ from: driver, source: facts }]));
  const fits = has.find(({ source }) => platform === undefined || isOfPlatform(source, platform));
  const byId = has.find(({ source }) => isIdOf(reference, source.digest)) ?? (isFullId(reference) ? has[0] : undefined);
  if (pull === 'always' && (byId !== undefined || isFullId(reference)))
    throw new UsageError(
      `--pull always: image "${reference}" is an id, which no registry knows; name it by tag or digest, or leave --pull out`,
    );
  if (pull !== 'always' && fits !== undefined) return fits;
  const [wrong] = has;
  if (wrong !== undefined && pull !== 'always' && (pull === 'never' || byId !== undefined))
    throw otherPlatform(
      reference,
      wrong.from,
      wrong.source,
      platform,
      byId === undefined ? 'pull it with --pull missing, or leave --platform out' : 'leave --platform out',
    );
  if (pull === 'never' || isFullId(reference)) throw nowhere(search);
  const [puller] = candidates;
  if (puller === undefined) throw new EngineError('there is no engine to pull with');
  const source = await pulled(puller, wrong, search);
  if (platform !== undefined && !isOfPlatform(source, platform))
    throw otherPlatform(
      reference,
      puller,
      source,
      platform,
      'its registry has none of that platform; leave --platform out',
    );
  return { from: puller, source };
}

function otherPlatform(
  reference: string,
  { name }: EngineDriver,
  source: ImageFacts,
  platform: string | undefined,
  remedy: string,
): UsageError {
  return new UsageError(
    `--platform "${platform}": image "${reference}" is ${platformOf(source)} on ${name}, ${platform} is expected; ${remedy}`,
  );
}

function nowhere({ reference, drivers, found, choice }: Search): UsageError {
  const where =
    choice.from === undefined ? 'no engine has it' : `${choice.from.name}, named by --from, does not have it`;
  const others = drivers.filter((driver, index) => driver !== choice.from && found[index] !== undefined);
  const elsewhere = others.length === 0 ? '' : ` (${others.map(({ name }) => name).join(' and ')} has)`;
  const why = isFullId(reference) ? 'and an id cannot be pulled' : 'and --pull never forbids to pull it';
  const remedy = isFullId(reference) ? 'build or load it first' : 'build, load or pull it first, or use --pull missing';
  return new UsageError(`image "${reference}": ${where}${elsewhere}, ${why}; ${remedy}`);
}

const isFullId = (reference: string): boolean => /^(sha256:)?[0-9a-f]{64}$/.test(reference);

/** Whether a reference is the beginning of an image's id, as the engines take it, and not a name. */
function isIdOf(reference: string, digest: string): boolean {
  const [, hex] = /^(?:sha256:)?([0-9a-f]{4,64})$/.exec(reference) ?? [];
  return hex !== undefined && digest.startsWith(`sha256:${hex}`);
}

async function pulled(
  puller: EngineDriver,
  wrong: { readonly source: ImageFacts } | undefined,
  { reference, say, choice }: Search,
): Promise<ImageFacts> {
  const { name } = puller;
  const { pull = 'missing', platform } = choice;
  const where = choice.from === undefined ? 'on no engine' : `not on ${name}, named by --from`;
  const missing = wrong === undefined ? where : `here only as ${platformOf(wrong.source)}`;
  say(`${reference}: ${pull === 'always' ? '--pull always' : missing}; ${name} pulls it`);
  const credentials = await choice.credentials?.(name, reference);
  const options = {
    ...(platform === undefined ? {} : { platform }),
    ...(credentials === undefined ? {} : { credentials }),
  };
  try {
    await puller.pullImage(reference, (line) => say(`${name}: ${line}`), options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    if (error instanceof EngineError && error.lost) throw error;
    const lacks = pull === 'always' ? 'it could not be pulled' : `${lack(choice, wrong)} and it could not be pulled`;
    throw new UsageError(
      `image "${reference}": ${lacks} (${why}${whetherAsked(choice, credentials)}); check the name, build it, or log in to its registry`,
      { cause: error },
    );
  }
  const source = await puller.inspectImage(reference);
  if (source === undefined) throw new UsageError(`image "${reference}" could not be inspected after the pull`);
  return source;
}

function lack({ from, platform }: ImageChoice, wrong: { readonly source: ImageFacts } | undefined): string {
  const who = from === undefined ? 'no engine has it' : `${from.name}, named by --from, does not have it`;
  return wrong === undefined ? who : `${who} for ${platform} (found: ${platformOf(wrong.source)})`;
}

/** Whether the registry was told who asks: a refusal means something else then. */
function whetherAsked(choice: ImageChoice, credentials: RegistryCredentials | undefined): string {
  if (choice.credentials === undefined) return '';
  return credentials === undefined ? '; no credentials for its registry were found' : '; credentials were sent';
}
