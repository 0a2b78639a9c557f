import { consoleRenderer } from './console.ts';
import { jsonRenderer } from './json.ts';
import { junitRenderer } from './junit.ts';
import type { Renderer } from './renderer.ts';

export type { Renderer } from './renderer.ts';

/** Every report format by name, for `--format`. A new format is one file and one line here. */
export const formats: Readonly<Record<string, Renderer>> = {
  junit: junitRenderer,
  json: jsonRenderer,
  console: consoleRenderer,
};
