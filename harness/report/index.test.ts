import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formats } from './index.ts';

it('every renderer is in the registry under its own name, with a file of its own', () => {
  const renderers = Object.entries(formats);
  expect(renderers.map(([name, renderer]) => [name, renderer.name])).toEqual(renderers.map(([name]) => [name, name]));
  expect(new Set(renderers.map(([, { file }]) => file)).size).toBe(renderers.length);
  const files = readdirSync(new URL('.', import.meta.url));
  expect(Object.keys(formats).filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
});
