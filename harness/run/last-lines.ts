import { stripVTControlCharacters } from 'node:util';
import type { OutputListener } from '../engine/driver.ts';

const KEPT_LINES = 20;
const KEPT_BYTES = 16 * 1024;

/** The last lines of a container's output, both streams as they came, in little memory whatever comes. */
export function lastLines(): { readonly accept: OutputListener; readonly lines: () => readonly string[] } {
  const kept = { stdout: '', stderr: '' };
  const lines: string[] = [];
  return {
    accept(stream, chunk) {
      const text = (kept[stream] + chunk.toString('utf8')).slice(-KEPT_BYTES);
      const parts = text.split('\n');
      kept[stream] = parts.pop() ?? '';
      lines.push(...parts.slice(-KEPT_LINES));
      lines.splice(0, lines.length - KEPT_LINES);
    },
    lines: () =>
      [...lines, kept.stdout, kept.stderr]
        .map((line) => stripVTControlCharacters(line).trimEnd())
        .filter((line) => line !== '')
        .slice(-KEPT_LINES),
  };
}
