import { architectureOf } from '../contract/evidence/emulation.ts';
import { clauses } from '../contract/index.ts';
import type { Capability } from '../model/clause.ts';
import type { EngineFacts } from '../model/engine.ts';
import { engineVantage } from '../run/vantage.ts';

/** What the harness itself brings. */
export interface Instrument {
  /** There is a helper for this machine. */
  readonly helper: boolean;
  /** It may ask the kernel for process events. */
  readonly root: boolean;
}

/** The oldest API that engines.md was measured with. */
const TESTED_API = '1.41';

/** One engine as `doctor` shows it: every fact that decides how it is judged, and what cannot be judged on it. */
export function describeEngine(facts: EngineFacts, instrument: Instrument): readonly string[] {
  const { vantage, why } = engineVantage(facts);
  const platform = `linux/${architectureOf(facts.architecture ?? 'unknown')}`;
  const rows: readonly (readonly [string, string])[] = [
    [
      'api',
      isOlder(facts.apiVersion, TESTED_API)
        ? `${facts.apiVersion}, older than ${TESTED_API}: not tested, its answers may differ`
        : facts.apiVersion,
    ],
    ['address', facts.address],
    ['on this host', facts.local ? 'yes' : 'no'],
    ['runtime', facts.runtime ?? 'unknown'],
    ['rootless', facts.rootless ? 'yes' : 'no'],
    ['cgroup', facts.cgroupVersion === undefined ? 'unknown' : `v${facts.cgroupVersion}`],
    ['storage', facts.storage ?? 'unknown'],
    ['os', `${facts.os ?? 'unknown'}, kernel ${facts.kernel ?? 'unknown'}`],
    ['platform', `${platform}; an image of another one runs emulated, and nothing about time is judged`],
    ['clock', clock(facts)],
    ['vantage', `${vantage}: ${why}${vantage === 'direct' ? '; the route to each container decides' : ''}`],
    ['init', init(facts)],
  ];
  const limits = notJudged(facts, instrument);
  return [
    `${facts.name} ${facts.version}`,
    ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`),
    ...(limits.length === 0 ? ['nothing'] : limits).map(
      (limit, index) => `  ${(index === 0 ? 'not judged here' : '').padEnd(16)}${limit}`,
    ),
  ];
}

function clock({ local, clockOffsetMs, clockErrorMs }: EngineFacts): string {
  if (local) return 'the one of this host';
  if (clockErrorMs === Number.MAX_SAFE_INTEGER) return 'unknown: the engine does not tell its time';
  const direction = clockOffsetMs < 0 ? 'behind' : 'ahead of';
  return `${round(Math.abs(clockOffsetMs))} ms ${direction} the one of this host, within ${round(clockErrorMs)} ms`;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

function init({ name, init: binary, local }: EngineFacts): string {
  if (binary !== undefined) return binary;
  return name === 'podman' && !local ? 'unknown: Podman does not tell; it is tried' : 'none found';
}

/** Each with its reason; clauses by their ids. */
function notJudged(facts: EngineFacts, { helper, root }: Instrument): readonly string[] {
  const limits: string[] = [];
  const say = (what: string, why: string): void => void limits.push(`${what}: ${why}`);
  const { vantage } = engineVantage(facts);
  if (vantage === 'sidecar' && !helper)
    say(needing('direct'), 'a sidecar takes the helper, and there is none for this machine');
  if (!helper) say('IMG-6 but by process samples', 'the kernel’s process events take the helper, and there is none');
  else if (!facts.local)
    say('IMG-6 but by process samples', 'the kernel’s process events are those of the engine’s host');
  else if (!root) say('IMG-6 but by process samples', 'the kernel’s process events take root');
  if (facts.init === undefined && (facts.name !== 'podman' || facts.local))
    say(needing('init'), `no init was found; install ${facts.name === 'podman' ? 'catatonit' : 'docker-init (tini)'}`);
  if (facts.rootless && facts.cgroupVersion === '1')
    say('a memory limit', 'a rootless engine with cgroups v1 ignores it');
  if (facts.name === 'podman' && isOlder(facts.version, '5.0'))
    say('an out-of-memory kill as such', 'Podman before 5 does not tell it from another SIGKILL');
  return limits;
}

function needing(capability: Capability): string {
  return clauses
    .filter(({ needs }) => needs.includes(capability))
    .map(({ id }) => id)
    .join(' ');
}

/** Whether a dotted version is before another, by its first two numbers. */
function isOlder(version: string, than: string): boolean {
  const numbers = (text: string): readonly number[] =>
    text
      .split('.')
      .slice(0, 2)
      .map((part) => Number.parseInt(part, 10) || 0);
  const [major = 0, minor = 0] = numbers(version);
  const [thanMajor = 0, thanMinor = 0] = numbers(than);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}
