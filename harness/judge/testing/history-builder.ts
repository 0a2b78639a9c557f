import { levelsOf, CLAUSE_SET } from '../../contract/index.ts';
import { presetByName } from '../../contract/presets/index.ts';
import { resolveTerms } from '../../contract/terms.ts';
import type { JudgementBasis, PresetName, Terms } from '../../model/clause.ts';
import type { EngineName, ImageFacts } from '../../model/engine.ts';
import type { Header, History } from '../../model/history.ts';
import type { Draft, Observation, ProcessFact, SignalPurpose } from '../../model/observation.ts';
import type { CellRef, CellValues } from '../../model/plan.ts';

/** What a literal history may say that differs from a plain light-fabric cell on docker. */
export interface Setting {
  readonly preset?: PresetName;
  readonly terms?: Partial<Terms>;
  readonly basis?: Partial<JudgementBasis>;
  readonly clauses?: readonly string[];
  readonly values?: CellValues;
  readonly cell?: Partial<CellRef>;
  readonly engine?: EngineName;
  readonly image?: Partial<ImageFacts>;
  /** Of the engine's host. */
  readonly architecture?: string;
  readonly uncertainty?: Header['uncertainty'];
  readonly clockErrorMs?: number;
  readonly ready?: Header['ready'];
  readonly complete?: boolean;
}

/** The instant of the signal in literal histories, ms. */
export const SIGNAL_AT = 1000;

/** Drafts of observations, times in ms. */
export type Entry = Draft | readonly Draft[];

const ns = (ms: number): number => Math.round(ms * 1e6);

export function imageFacts(image: Partial<ImageFacts> = {}): ImageFacts {
  return {
    reference: 'shop:1',
    digest: 'sha256:0f',
    entrypoint: ['/server'],
    command: [],
    user: '',
    stopSignal: { value: 'SIGTERM', origin: 'image' },
    exposedPorts: [8080],
    labels: {},
    hasHealthcheck: false,
    repoDigests: [],
    ...image,
  };
}

export function basisOf(setting: Setting = {}): JudgementBasis {
  const preset = presetByName(setting.preset ?? 'light-fabric');
  const stopSignal = imageFacts(setting.image).stopSignal.value;
  const { terms, origins } = resolveTerms(preset, {
    stopSignal,
    overrides: setting.terms ? [{ origin: 'profile', terms: setting.terms }] : [],
  });
  return {
    preset: preset.name,
    presetOrigin: '--preset',
    clauseSet: CLAUSE_SET,
    levels: levelsOf(preset),
    required: preset.required,
    terms,
    origins,
    waivers: [],
    judgedOn: '2026-12-01',
    ...setting.basis,
  };
}

export function cellOf(setting: Setting = {}): CellRef {
  const values = setting.values ?? { signal: 'TERM' };
  return {
    engine: setting.engine ?? 'docker',
    image: 'shop:1',
    scenario: 'stop/idle',
    title: 'a stop with nothing in flight',
    values,
    cell:
      Object.entries(values)
        .map(([key, value]) => `${key}=${value}`)
        .join(',') || '-',
    clauses: setting.clauses ?? ['SIG-1'],
    repeat: 1,
    sample: 1,
    lane: 'shared',
    path: 'docker/shop/stop-idle',
    ...setting.cell,
  };
}

/** A literal history. Sequence numbers are those of writing, from 1; the end mark is added unless `complete` is false. */
export function history(setting: Setting, ...entries: readonly Entry[]): History {
  const drafts = entries.flat() as readonly Draft[];
  const last = Math.max(0, ...drafts.map((draft) => draft.t));
  const complete = setting.complete ?? true;
  const ended: readonly Draft[] = complete ? [...drafts, { kind: 'end', t: last }] : drafts;
  const engine = setting.engine ?? 'docker';
  return {
    header: {
      format: 1,
      harness: { version: '0.1.0', node: '24.0.0' },
      run: 'r1',
      cell: cellOf(setting),
      engine: {
        name: engine,
        version: '1',
        apiVersion: '1',
        address: 'unix:///run/engine.sock',
        rootless: false,
        local: true,
        clockOffsetMs: 0,
        clockErrorMs: setting.clockErrorMs ?? 0,
        ...(setting.architecture === undefined ? {} : { architecture: setting.architecture }),
      },
      image: imageFacts(setting.image),
      ready: setting.ready ?? { kind: 'http', port: 8080, path: '/health', origin: 'EXPOSE' },
      envKeys: [],
      origin: { monotonic: '0', realtime: '0' },
      uncertainty: setting.uncertainty ?? { hostMs: 5, engineMs: 12 },
      basis: basisOf(setting),
    },
    observations: ended.map((draft, i) => ({ ...draft, seq: i + 1 }) as Observation),
    complete,
  };
}

export const started = (pid = 100): Draft => ({ kind: 'container.started', t: 0, pid, vantage: 'direct' });
export const ready = (at = 500): Draft => ({ kind: 'ready', t: ns(at), by: 'http', attempts: 3, answers: 2 });

/** A signal that the engine took within 2 ms, with Docker's kill event. */
export function signal(name = 'TERM', at = SIGNAL_AT, purpose: SignalPurpose = 'script', n = 1): readonly Draft[] {
  return [
    { kind: 'signal.sent', t: ns(at - 2), n, signal: name, purpose },
    { kind: 'signal.delivered', begin: ns(at - 2), t: ns(at), n, signal: name, purpose },
    { kind: 'engine.event', t: ns(at + 1), action: 'kill', at: ns(at), signal: name },
  ];
}

/** The end `afterMs` after the usual signal, by both clocks. */
export function exit(
  afterMs: number,
  code: number,
  more: { oom?: boolean; finishedMs?: number } = {},
): readonly Draft[] {
  const at = SIGNAL_AT + afterMs;
  const finishedAt = ns(SIGNAL_AT + (more.finishedMs ?? afterMs));
  return [
    { kind: 'exit.seen', by: 'pidfd', begin: ns(at), t: ns(at) },
    {
      kind: 'exit.state',
      t: ns(at + 30),
      running: false,
      status: 'exited',
      exitCode: code,
      oomKilled: more.oom ?? false,
      finishedAt,
    },
  ];
}

/** The harness's SIGKILL after the outer timeout, and the end it brings about. */
export function outerTimeout(afterMs = 10_000): readonly Draft[] {
  return [...signal('KILL', SIGNAL_AT + afterMs, 'outer-timeout', 9), ...exit(afterMs + 3, 137)];
}

/** A log line `afterMs` after the usual signal. */
export function line(
  afterMs: number,
  text: string,
  more: { stream?: 'stdout' | 'stderr'; partial?: boolean } = {},
): Draft {
  const partial = more.partial === undefined ? {} : { partial: more.partial };
  return { kind: 'log', t: ns(SIGNAL_AT + afterMs), stream: more.stream ?? 'stdout', text, ...partial };
}

export function logComplete(missing: readonly string[] = [], error?: string): Draft {
  const failure = error === undefined ? {} : { error };
  return { kind: 'log.complete', t: ns(60_000), attachedLines: 2, storedLines: 2, missing, ...failure };
}

export const RECEIVED = 'light-runtime: shutdown signal received reason=Terminate';
export const GRACEFUL = 'light-runtime: shutdown completed reason=Terminate outcome=graceful duration_ms=12';
export const EXCEEDED = 'light-runtime: graceful shutdown deadline exceeded';

/** What the reference service does on a stop with nothing in flight. */
export function gracefulStop(afterMs = 12): readonly Draft[] {
  return [ready(), ...signal(), line(1, RECEIVED), line(afterMs - 1, GRACEFUL), ...exit(afterMs, 0), logComplete()];
}

export function processFact(
  nsPid: number,
  parent: number,
  args: readonly string[],
  more: Partial<ProcessFact> = {},
): ProcessFact {
  const comm = args[0]?.split('/').at(-1) ?? '';
  const masks = { caught: '0', ignored: '0', blocked: '0' };
  return {
    pid: 99 + nsPid,
    nsPid,
    ppid: parent === 0 ? 1 : 99 + parent,
    comm,
    args,
    state: 'S',
    threads: 1,
    ...masks,
    ...more,
  };
}

export function tree(list: readonly ProcessFact[], moment: 'ready' | 'during-stop' = 'ready', at = 510): Draft {
  return { kind: 'processes', t: ns(at), moment, list };
}

export const at = ns;
