import type { Pair, Scalar } from 'yaml';
import { Document, isMap, isSeq, YAMLMap } from 'yaml';
import type { PresetName } from '../model/clause.ts';
import type { Assumption } from '../model/discovery.ts';
import type { ToDeclare } from './to-declare.ts';
import { policiesOf, TO_DECLARE } from './to-declare.ts';

/** What a profile is written out of. */
export interface ProfileToWrite {
  /** As the user typed it. */
  readonly image: string;
  /** Where it was looked at: `docker, digest 0123456789ab`. */
  readonly seenOn: string;
  /** Name of the file, for how to run it. */
  readonly file: string;
  /** The preset that it is judged by, whose policies are shown. */
  readonly preset: PresetName;
  readonly assumptions: readonly Assumption[];
  /** Names of variables that the container was given: the values are not written. */
  readonly envNames: readonly string[];
  /** What could not be seen. */
  readonly notes: readonly string[];
}

const WIDTH = 100;

/**
 * A commented `lf-qualify.yaml`: what was found, each with why; then, commented out, what can be declared besides and what it
 * is good for; then the policies of the preset, commented out too. A line that is ready to be declared begins with `#` and no
 * space after it.
 */
export function writtenProfile(written: ProfileToWrite): string {
  const { image, seenOn, file, assumptions, envNames, notes } = written;
  const document = new Document<YAMLMap>(new YAMLMap());
  document.commentBefore = commented([
    `What lf-qualify found in ${image} (${seenOn}).`,
    'Without this file a run assumes the same; here it is declared and yours to correct.',
    `Run it: lf-qualify --profile ${file}`,
    ...notes,
  ]);
  document.set('version', 1);
  document.set('image', image);
  if (envNames.length > 0) {
    const values = Object.fromEntries(envNames.map((name) => [name, `\${${name}}`]));
    add(document, 'env', values, 'given on the command line; the values are taken from the environment of the run');
  }
  for (const { key, value, why } of assumptions) add(document, key, value, why);
  const open = TO_DECLARE.filter(({ key, inner }) => !says(document, key, inner));
  for (const one of open) {
    const map: unknown = document.get(one.key);
    if (isMap(map)) within(map, one);
  }
  document.comment = [
    commented(['What looking cannot find. Take the # away from a line to declare it.']),
    '',
    ...offered(open.filter(({ key }) => !document.has(key))),
    '',
    commented([`Policies, on which people differ, with what the preset ${written.preset} says.`]),
    '',
    ...offered(policiesOf(written.preset)),
  ].join('\n');
  return document.toString({ lineWidth: 0, singleQuote: true });
}

/** A key with its value on one line, below a comment; `endpoints.websocket` goes into the mapping `endpoints`. */
function add(document: Document<YAMLMap>, key: string, value: unknown, why: string): void {
  const [top = key, inner] = key.split('.');
  if (inner !== undefined && !document.has(top)) document.add(pairOf(document, top, new YAMLMap(), { apart: true }));
  const map = inner === undefined ? document.contents : document.get(top);
  if (isMap(map)) map.add(pairOf(document, inner ?? top, value, { why, apart: inner === undefined }));
}

function pairOf(
  document: Document<YAMLMap>,
  key: string,
  value: unknown,
  { why, apart }: { readonly why?: string; readonly apart: boolean },
): Pair {
  const listed = Array.isArray(value) && value.some((item) => typeof item === 'object');
  const pair = document.createPair<Scalar<string>>(key, value, { flow: !isMap(value) });
  if (listed && isSeq(pair.value)) pair.value.flow = false;
  if (why !== undefined) pair.key.commentBefore = commented([why]);
  pair.key.spaceBefore = apart;
  return pair;
}

function says(document: Document<YAMLMap>, key: string, inner: string | undefined): boolean {
  const value: unknown = document.get(key);
  return isMap(value) && inner !== undefined ? value.has(inner) : value !== undefined;
}

/** What else could stand in a mapping that is there, after its last key. */
function within(map: YAMLMap, { inner, value, enables }: ToDeclare): void {
  if (inner === undefined) return;
  map.comment = [
    ...(map.comment === undefined || map.comment === null ? [] : [map.comment]),
    commented([enables]),
    `${inner}: ${value}`,
  ].join('\n');
}

/** Lines that are ready to be declared, those of one mapping together. */
function offered(all: readonly ToDeclare[]): readonly string[] {
  const groups = [...Map.groupBy(all, ({ key }) => key).entries()];
  return groups.flatMap(([key, entries]) => {
    const inner = entries.flatMap((one) =>
      one.inner === undefined ? [] : [`  # ${one.enables}`, `  ${one.inner}: ${one.value}`],
    );
    if (inner.length > 0) return [`${key}:`, ...inner];
    return entries.flatMap(({ value, enables }) => [commented([enables]), `${key}: ${value}`]);
  });
}

/** Text of a comment, in lines that are not too long; what a terminal or an editor could trip over is shown as `?`. */
function commented(paragraphs: readonly string[]): string {
  return paragraphs.flatMap((text) => wrapped(text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '?'))).join('\n');
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length >= WIDTH) {
      lines.push(line);
      line = '';
    }
    line = `${line} ${word}`;
  }
  return [...lines, line];
}
