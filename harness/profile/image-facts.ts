import type { PresetName } from '../model/clause.ts';
import type { ImageFacts } from '../model/engine.ts';
import { UsageError } from '../model/errors.ts';
import type { Profile } from '../model/profile.ts';
import type { ReadySpec } from '../model/target.ts';
import { parseDuration } from './duration.ts';
import { parseProfileLabel } from './load-profile.ts';
import { suggestion } from './nearest.ts';
import { presetNames } from './preset-names.ts';

/** An image that declares and exposes nothing counts as ready once it has lived this long: shown as an assumption. */
export const SETTLED_MS = 2000;

/** What an image says about its own shutdown by labels `io.lf-qualify.*`. */
export interface ImageDeclarations {
  readonly preset?: PresetName;
  readonly graceMs?: number;
  readonly ready?: ReadySpec;
  /** A whole profile in the label `io.lf-qualify.profile`; the labels above go before it. */
  readonly profile?: Profile;
}

/**
 * The labels of an image, read strictly: a label that cannot be read is a UsageError, since it was meant to say something.
 * `clauses`: all clause ids, for what a profile in a label requires or waives.
 */
export function imageDeclarations(facts: ImageFacts, clauses?: readonly string[]): ImageDeclarations {
  const preset = presetLabel(facts);
  const grace = facts.labels['io.lf-qualify.grace'];
  const ready = readyLabel(facts);
  const profile = facts.labels['io.lf-qualify.profile'];
  return {
    ...(preset !== undefined && { preset }),
    ...(grace !== undefined && { graceMs: parseDuration(grace, where(facts, 'grace')) }),
    ...(ready !== undefined && { ready }),
    ...(profile !== undefined && { profile: parseProfileLabel(profile, where(facts, 'profile'), clauses) }),
  };
}

/** Readiness as far as the image tells it: its label, a connect to its lowest EXPOSEd port, its HEALTHCHECK, an assumption. */
export function readyFromImage(facts: ImageFacts): ReadySpec {
  const declared = readyLabel(facts);
  if (declared !== undefined) return declared;
  const ports = [...facts.exposedPorts].sort((a, b) => a - b);
  const [port] = ports;
  if (port === undefined && facts.hasHealthcheck) return { kind: 'health', origin: 'HEALTHCHECK of the image' };
  if (port === undefined) {
    return { kind: 'settled', afterMs: SETTLED_MS, origin: 'assumed: nothing is declared or exposed' };
  }
  return { kind: 'tcp', port, origin: ports.length === 1 ? `EXPOSE ${port}` : `lowest of EXPOSE ${ports.join(' ')}` };
}

function where(facts: ImageFacts, label: string): string {
  return `image ${facts.reference}, label io.lf-qualify.${label}`;
}

function presetLabel(facts: ImageFacts): PresetName | undefined {
  const written = facts.labels['io.lf-qualify.preset'];
  if (written === undefined) return undefined;
  const preset = presetNames.find((name) => name === written);
  if (preset !== undefined) return preset;
  const hint = suggestion(written, presetNames);
  throw new UsageError(
    `${where(facts, 'preset')}: unknown preset ${JSON.stringify(written)}${hint}; use one of ${presetNames.join(', ')}, ` +
      'or overrule the label with --preset',
  );
}

function readyLabel(facts: ImageFacts): ReadySpec | undefined {
  const written = facts.labels['io.lf-qualify.ready'];
  if (written === undefined) return undefined;
  const origin = 'image label';
  if (written === 'health') return { kind: 'health', origin };
  const match = /^(?:(?<kind>http|tcp):(?<port>\d{1,5})(?<path>\/\S*)?|log:(?<pattern>.+))$/s.exec(written);
  const { kind, path, pattern } = match?.groups ?? {};
  const port = Number(match?.groups?.['port'] ?? 0);
  if (pattern !== undefined && isRegExp(pattern)) return { kind: 'log', pattern, origin };
  if (port >= 1 && port <= 65_535) {
    if (kind === 'http') return { kind: 'http', port, path: path ?? '/', origin };
    if (kind === 'tcp' && path === undefined) return { kind: 'tcp', port, origin };
  }
  throw new UsageError(
    `${where(facts, 'ready')}: cannot read ${JSON.stringify(written)}; write http:8080/health, tcp:8080 or ` +
      'log:<regular expression>, or overrule the label with --ready',
  );
}

function isRegExp(source: string): boolean {
  try {
    return new RegExp(source) !== undefined;
  } catch {
    return false;
  }
}
