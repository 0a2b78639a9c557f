import type { Document, LineCounter, Node } from 'yaml';
import { isAlias, isMap, isNode, isScalar, isSeq, visit } from 'yaml';

export type KeyPath = readonly PropertyKey[];

/**
 * Whether what stands at this key is, or has within, a value that may be secret: of `secrets`, of `env`, and of the
 * environments under `registry`, `bootstrap`, `faults` and `dependencies`, at the top level and of one of `images`. The whole document
 * is such a thing too.
 */
export function holdsValuesOfEnv(path: KeyPath): boolean {
  const [first, second, third] = path;
  if (first === undefined || first === 'env' || first === 'secrets' || first === 'faults') return true;
  if (first === 'images') return third === undefined || holdsValuesOfEnv(path.slice(2));
  if (first === 'dependencies') return second === undefined || third === undefined || third === 'env';
  if (first === 'bootstrap') return second !== 'urlEnv' && second !== 'cache';
  return first === 'registry' && second !== 'urlEnv';
}

/** Whether what stands at this key is, or has within, headers of the upgrade to a WebSocket, whose values may be secret. */
export function holdsHeaders(path: KeyPath): boolean {
  const [first, second, third, fourth] = path;
  if (first === 'images') return third !== undefined && holdsHeaders(path.slice(2));
  if (first !== 'endpoints') return false;
  return (
    second === undefined ||
    (second === 'websocket' && (third === undefined || fourth === undefined || fourth === 'headers'))
  );
}

/** A parsed YAML file that knows on which line each of its keys stands. */
export class ProfileDocument {
  readonly document: Document.Parsed;
  readonly file: string;
  readonly lines: LineCounter;

  constructor(file: string, document: Document.Parsed, lines: LineCounter) {
    this.file = file;
    this.document = document;
    this.lines = lines;
  }

  /** `file:line` of an offset into the text. */
  at(offset: number): string {
    return `${this.file}:${this.lines.linePos(offset).line}`;
  }

  /** `file:line` of the key, or of the nearest mapping or list around it where it is missing. */
  where(path: KeyPath): string {
    let offset = this.document.contents?.range[0] ?? 0;
    let node: unknown = this.document.contents;
    for (const step of path) {
      const next = this.child(node, step);
      if (next === undefined) break;
      offset = next.offset ?? offset;
      node = next.value;
    }
    return this.at(offset);
  }

  /** The key that begins at this offset into the text, or undefined. */
  keyAt(offset: number): string | undefined {
    let found: string | undefined;
    visit(this.document, {
      Pair(_, { key }) {
        if (!isScalar(key) || offsetOf(key) !== offset) return undefined;
        found = String(key.value);
        return visit.BREAK;
      },
    });
    return found;
  }

  /** Numbers and booleans of every `env` become the text as it was written: `1.10` is not `1.1`, `0x1f` not `31`. */
  keepEnvAsWritten(): void {
    const top = this.document.contents;
    const images = this.resolve(this.child(top, 'images')?.value);
    for (const facts of [top, ...(isSeq(images) ? images.items : [])]) this.keepEnvOfImageAsWritten(facts);
  }

  private keepEnvOfImageAsWritten(facts: unknown): void {
    const inner = (parent: unknown, key: string): unknown => this.child(parent, key)?.value;
    const each = (parent: unknown): unknown[] => {
      const map = this.resolve(parent);
      return isMap(map) ? map.items.map(({ value }) => value) : [];
    };
    const items = (parent: unknown): unknown[] => {
      const list = this.resolve(parent);
      return isSeq(list) ? list.items : [];
    };
    for (const env of [
      inner(facts, 'env'),
      inner(inner(facts, 'registry'), 'env'),
      inner(inner(facts, 'bootstrap'), 'env'),
      ...each(inner(facts, 'faults')),
      ...items(inner(inner(facts, 'endpoints'), 'websocket')).map((route) => inner(route, 'headers')),
      ...each(inner(facts, 'dependencies')).map((dependency) => inner(dependency, 'env')),
    ]) {
      this.keepAsWritten(this.resolve(env));
    }
  }

  private keepAsWritten(env: unknown): void {
    if (!isMap(env)) return;
    for (const { value } of env.items) {
      const scalar = this.resolve(value);
      if (!isScalar(scalar) || scalar.value === null || scalar.source === undefined) continue;
      if (typeof scalar.value !== 'string') scalar.value = scalar.source;
    }
  }

  private resolve(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.document) : node;
  }

  private child(parent: unknown, step: PropertyKey): { value: unknown; offset: number | undefined } | undefined {
    const node = this.resolve(parent);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      return pair && { value: pair.value, offset: offsetOf(pair.key) };
    }
    if (isSeq(node) && typeof step === 'number') {
      const value = node.items[step];
      return value === undefined ? undefined : { value, offset: offsetOf(value) };
    }
    return undefined;
  }
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? (node as Node).range?.[0] : undefined;
}
