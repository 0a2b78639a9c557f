import { engineNames } from '../engine/drivers.ts';
import { presets } from '../contract/presets/index.ts';
import type { PresetName } from '../model/clause.ts';
import type { EngineName } from '../model/engine.ts';
import { UsageError } from '../model/errors.ts';
import type { ReadySpec } from '../model/target.ts';
import { handledSignals } from '../profile/schema-judgement.ts';
import { parseDuration } from '../profile/duration.ts';
import { readEnvFile, UnusableEnvFile } from '../profile/env-file.ts';
import { formats } from '../report/index.ts';
import type { PullPolicy } from '../run/image-source.ts';
import { pullPolicies } from '../run/image-source.ts';
import type { TargetFlags } from '../run/resolve-target.ts';
import type { Vantage } from '../run/vantage.ts';
import { vantages } from '../run/vantage.ts';

/** The run command's options, checked. Durations in ms. */
export interface RunOptions {
  readonly images: readonly string[];
  readonly engines: readonly EngineName[];
  readonly profile?: string;
  /** What the files of `--env-file` say: part of `flags.env`, and for `${NAME}` in a profile. */
  readonly fileEnv: Readonly<Record<string, string>>;
  /** Which bytes an image name stands for: when it is pulled, for what platform, and from which engine it comes. */
  readonly source: { readonly pull: PullPolicy; readonly platform?: string; readonly from?: EngineName };
  readonly flags: TargetFlags;
  /** Whether an image of which nothing is declared is looked at before it is judged. */
  readonly discovery: boolean;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly list: boolean;
  readonly plan: boolean;
  /** Where to look from; absent: chosen by lookup. */
  readonly vantage?: Vantage;
  /** Containers side by side; absent: `defaultJobs`. */
  readonly jobs?: number;
  readonly repeat: number;
  readonly strict: boolean;
  readonly format: string;
  readonly out: string;
  readonly keep: boolean;
  /** How many runs stay in `out`; absent: all. */
  readonly keepRuns?: number;
  /** Folders of scenarios besides the bundled ones. */
  readonly scenarios: readonly string[];
  readonly verbose: boolean;
}

const MOST_JOBS = 64;
const MOST_REPEATS = 1000;
/** As many as a person looks back on; it bounds the folder to some hundred megabytes. */
const DEFAULT_KEPT = '20';
const MOST_KEPT = 1_000_000;

/** Check what commander gives. Throws UsageError that names option, value and remedy. */
export function parseRunOptions(
  images: readonly string[],
  raw: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
): RunOptions {
  const text = (name: string): string | undefined => raw[name] as string | undefined;
  const list = (name: string): string[] =>
    ((raw[name] ?? []) as string[])
      // a comma before a further column of a cell (`first=TERM,second=INT`) separates no entries
      .flatMap((entry) => entry.split(/,(?!\s*\w+=)/))
      .map((entry) => entry.trim())
      .filter(Boolean);
  const port = text('port') === undefined ? undefined : parsePort('--port', text('port') ?? '');
  const ready = text('ready') === undefined ? undefined : parseReady(text('ready') ?? '', port);
  const preset =
    text('preset') === undefined
      ? undefined
      : (oneOf(
          '--preset',
          text('preset') ?? '',
          presets.map(({ name }) => name),
        ) as PresetName);
  const fileEnv = parseEnvFiles((raw['envFile'] ?? []) as string[]);
  const keepRuns = text('keepRuns') ?? DEFAULT_KEPT;
  const blank = images.find((image) => image.trim() === '' || /\s/.test(image));
  if (blank !== undefined) throw new UsageError(`image "${blank}": a name such as orders:1.4 is expected`);
  return {
    images: [...new Set(images)],
    engines: list('engine').map((name) => oneOf('--engine', name, engineNames)),
    ...(text('profile') === undefined ? {} : { profile: text('profile') ?? '' }),
    fileEnv,
    source: {
      pull: oneOf('--pull', text('pull') ?? 'missing', pullPolicies),
      ...(text('platform') === undefined ? {} : { platform: parsePlatform(text('platform') ?? '') }),
      ...(text('from') === undefined ? {} : { from: oneOf('--from', text('from') ?? '', engineNames) }),
    },
    flags: {
      env: { ...fileEnv, ...parseEnv((raw['env'] ?? []) as string[], env) },
      ...(raw['labelProfile'] === false ? { labelProfile: false } : {}),
      require: list('require'),
      ...(preset === undefined ? {} : { preset }),
      ...(text('stopSignal') === undefined ? {} : { stopSignal: parseSignal(text('stopSignal') ?? '') }),
      ...(text('grace') === undefined ? {} : { graceMs: parseDuration(text('grace') ?? '', '--grace') }),
      ...(text('timeout') === undefined ? {} : { outerTimeoutMs: outerTimeout(text('timeout') ?? '') }),
      ...(port === undefined ? {} : { port }),
      ...(ready === undefined ? {} : { ready }),
    },
    discovery: raw['discovery'] !== false,
    only: list('only'),
    skip: list('skip'),
    ...(text('vantage') === undefined ? {} : { vantage: oneOf('--vantage', text('vantage') ?? '', vantages) }),
    list: raw['list'] === true,
    plan: raw['plan'] === true,
    ...(text('jobs') === undefined ? {} : { jobs: parseCount('--jobs', text('jobs') ?? '', MOST_JOBS) }),
    repeat: parseCount('--repeat', text('repeat') ?? '1', MOST_REPEATS),
    strict: raw['strict'] === true,
    format: oneOf('--format', text('format') ?? 'console', Object.keys(formats)),
    out: text('out') ?? 'reports',
    keep: raw['keep'] === true,
    ...(keepRuns === 'all' ? {} : { keepRuns: parseCount('--keep-runs', keepRuns, MOST_KEPT, 'all or ') }),
    scenarios: (raw['scenarios'] ?? []) as string[],
    verbose: raw['verbose'] === true,
  };
}

/** One of the allowed values; the message names all of them. */
export function oneOf<T extends string>(option: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((entry) => entry === value);
  if (found === undefined) throw new UsageError(`${option} "${value}": expected one of ${allowed.join(', ')}`);
  return found;
}

function parseCount(option: string, value: string, most: number, other = ''): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || count < 1 || count > most)
    throw new UsageError(`${option} "${value}": expected ${other}a whole number from 1 to ${most}`);
  return count;
}

function parsePort(option: string, value: string): number {
  return parseCount(option, value, 65_535);
}

function parseSignal(value: string): string {
  return oneOf('--stop-signal', value.toUpperCase().replace(/^SIG/, ''), handledSignals);
}

function parsePlatform(value: string): string {
  if (!/^[a-z0-9]+\/[a-z0-9_-]+(\/[a-z0-9.]+)?$/.test(value))
    throw new UsageError(`--platform "${value}": expected os/arch or os/arch/variant, such as linux/arm64`);
  return value;
}

function outerTimeout(value: string): number {
  const ms = parseDuration(value, '--timeout');
  if (ms <= 0)
    throw new UsageError(
      `--timeout "${value}": an outer timeout of 0 kills at once and is never graceful; give at least the grace and its floor`,
    );
  return ms;
}

function parseReady(value: string, port: number | undefined): ReadySpec {
  const origin = '--ready';
  if (value === 'health') return { kind: 'health', origin };
  const [, kind, rest = ''] = /^(http|tcp|log)(?::(.*))?$/s.exec(value) ?? [];
  if (kind === 'log' && rest !== '') {
    try {
      new RegExp(rest);
    } catch (error) {
      throw new UsageError(`--ready "${value}": not a regular expression: ${(error as Error).message}`, {
        cause: error,
      });
    }
    return { kind, pattern: rest, origin };
  }
  const [, digits, path] = /^(\d*)(\/.*)?$/.exec(rest) ?? [];
  if ((kind === 'http' && path !== undefined) || (kind === 'tcp' && path === undefined && digits !== undefined)) {
    const where = digits ? parsePort('--ready', digits) : port;
    if (where === undefined)
      throw new UsageError(`--ready "${value}": no port is given; write ${kind}:8080${path ?? ''} or add --port 8080`);
    return kind === 'http' ? { kind, port: where, path: path ?? '/', origin } : { kind: 'tcp', port: where, origin };
  }
  throw new UsageError(`--ready "${value}": expected http:/path, http:PORT/path, tcp, tcp:PORT, log:REGEX or health`);
}

/** A later file goes before an earlier one. */
function parseEnvFiles(paths: readonly string[]): Record<string, string> {
  return Object.assign(
    {},
    ...paths.map((path) => {
      try {
        return readEnvFile(path);
      } catch (error) {
        if (error instanceof UnusableEnvFile) throw new UsageError(`--env-file: ${error.message}`, { cause: error });
        throw error;
      }
    }),
  );
}

function parseEnv(entries: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf('=');
      const key = at < 0 ? entry : entry.slice(0, at);
      if (!/^[^\s=\0]+$/.test(key))
        throw new UsageError(`--env "${entry}": expected KEY=value, or KEY to take its value from here`);
      const value = at < 0 ? env[key] : entry.slice(at + 1);
      if (value === undefined) throw new UsageError(`--env "${entry}": ${key} is not set here; write ${key}=value`);
      return [key, value];
    }),
  );
}
