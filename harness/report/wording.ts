import type { JudgementBasis, Level, Terms } from '../model/clause.ts';
import type { Effort, ReportedTarget, ReportedDependency } from '../model/report.ts';
import type { ReadySpec } from '../model/target.ts';
import type { Measurement } from '../model/time.ts';
import type { CellFinding, Verdict } from '../model/verdict.ts';

/** Milliseconds with at most one decimal, for people. */
export function formatMs(ms: number): string {
  return `${Number(ms.toFixed(1))} ms`;
}

/** `31.2 ms (31 to 31.5 ms, host clock)`. */
export function formatMeasurement(measured: Measurement): string {
  const bounds = `${Number(measured.lowMs.toFixed(1))} to ${formatMs(measured.highMs)}`;
  return `${formatMs(measured.valueMs)} (${bounds}, ${measured.by} clock)`;
}

const levelWords: Readonly<Record<Level, string>> = {
  M: 'MUST',
  S: 'SHOULD',
  r: 'recorded, not judged',
  '-': 'not in the preset',
};

export function formatLevel(level: Level): string {
  return levelWords[level];
}

export function formatReady(ready: ReadySpec): string {
  switch (ready.kind) {
    case 'http':
      return `GET ${ready.tls ? 'https ' : ''}:${ready.port}${ready.path} (${ready.origin})`;
    case 'tcp':
      return `${ready.greets ? 'greeting on' : 'connect'} :${ready.port} (${ready.origin})`;
    case 'log':
      return `log line /${ready.pattern}/ (${ready.origin})`;
    case 'health':
      return `HEALTHCHECK of the image (${ready.origin})`;
    case 'settled':
      return `assumed after ${formatMs(ready.afterMs)} (${ready.origin})`;
  }
}

/** `:8443, certificate verified with the CA given`. */
export function formatTls({ port, verified }: NonNullable<ReportedTarget['tls']>): string {
  return `:${port}, ${verified ? 'certificate verified with the CA given' : 'certificate not verified: no CA is given'}`;
}

/** `74.2 s · docker 39 containers · podman 41 containers, 2 of them repeated alone`. */
export function formatEffort({ durationMs, engines }: Effort): string {
  const each = engines.map(({ engine, containers, repeated }) => {
    const again = repeated === 0 ? '' : `, ${repeated} of them repeated alone`;
    return `${engine} ${containers} containers${again}`;
  });
  return [`${Number((durationMs / 1000).toFixed(1))} s`, ...each].join(' · ');
}

/** The finding that decided a verdict: the first with its outcome. Undefined where no cell spoke. */
export function decidingFinding(verdict: Verdict): CellFinding | undefined {
  const outcome = verdict.outcome === 'waived' ? verdict.waiver?.would : verdict.outcome;
  return verdict.findings.find((finding) => finding.outcome === outcome) ?? verdict.findings[0];
}

/** `cells/…/r1-s1 #12 #14`, one entry per finding that shares the verdict's outcome, each with at most so many observations. */
export function evidenceOf(verdict: Verdict, most = Number.POSITIVE_INFINITY): readonly string[] {
  const outcome = verdict.outcome === 'waived' ? verdict.waiver?.would : verdict.outcome;
  return verdict.findings
    .filter((finding) => finding.outcome === outcome)
    .map(({ history, evidence }) => {
      const more = evidence.length > most ? [`… ${evidence.length - most} more`] : [];
      return [history, ...evidence.slice(0, most).map((seq) => `#${seq}`), ...more].join(' ');
    });
}

/** `2 of 3 samples failed, 1 inconclusive`, or undefined where one sample says it all. */
export function formatSamples({ samples, failing, findings }: Verdict): string | undefined {
  if (samples <= 1) return undefined;
  const open = findings.filter(({ outcome }) => outcome === 'inconclusive').length;
  return `${failing} of ${samples} samples failed${open === 0 ? '' : `, ${open} inconclusive`}`;
}

/** What disturbed a verdict that is inconclusive by timing alone; undefined for any other. */
export function formatDisturbed(verdict: Verdict): string | undefined {
  const by = verdict.outcome === 'inconclusive' ? decidingFinding(verdict)?.disturbedBy : undefined;
  if (by === undefined) return undefined;
  return by.length === 0 ? 'by nothing on record' : by.join('; ');
}

/** Every term in force with its value in words and where it came from. */
export function termLines(basis: JudgementBasis): readonly { name: keyof Terms; value: string; origin: string }[] {
  return (Object.keys(basis.terms) as (keyof Terms)[]).map((name) => ({
    name,
    value: formatTerm(name, basis.terms),
    origin: basis.origins[name] ?? 'preset',
  }));
}

function formatTerm(name: keyof Terms, terms: Terms): string {
  switch (name) {
    case 'gracefulSignals':
      return terms.gracefulSignals.join(', ') || 'none';
    case 'acceptedStatuses':
      return terms.acceptedStatuses.map(({ status, reason }) => `${status} (${reason})`).join(', ') || 'none';
    case 'patterns':
      return Object.keys(terms.patterns).join(', ') || 'none';
    default: {
      const value = terms[name];
      if (value === null) return 'not declared';
      return typeof value === 'number' && name.endsWith('Ms') ? `${value} ms` : String(value);
    }
  }
}

/** A dependency in a few words: its name, its image, and how it came up. */
export function formatDependency({ alias, reference, digest, readyAfterMs, failure }: ReportedDependency): string {
  const came = failure ?? (readyAfterMs === undefined ? 'never ready' : `ready after ${formatMs(readyAfterMs)}`);
  return `${alias} ${reference} ${digest.replace(/^sha256:/, '').slice(0, 12)}: ${came}`;
}

/** Line breaks made visible, so that hostile text cannot fake a line of its own. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n\v\f\u0085\u2028\u2029]+\s*/g, ' ⏎ ');
}
