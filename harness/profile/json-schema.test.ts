import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { bundledFolder } from './bundled.ts';
import { profileJsonSchema, SCHEMA_FILE } from './json-schema.ts';

const root = join(import.meta.dirname, '..', '..');
const written = profileJsonSchema();
const schema = JSON.parse(written) as z.core.JSONSchema.JSONSchema;
/** JSON Schema read back by an interpreter of it: what an editor would say. */
const editor = z.fromJSONSchema(schema);

/** The paths of all properties without a description, and of all mappings that take any key. */
function lacking(node: unknown, path: string): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, properties, additionalProperties } = node as z.core.JSONSchema.JSONSchema;
  const open = type === 'object' && additionalProperties === undefined ? [`${path} takes any key`] : [];
  const silent = Object.entries(properties ?? {}).flatMap(([key, value]) =>
    typeof value === 'object' && (value.description ?? value.$ref) !== undefined ? [] : [`${path}/${key} says nothing`],
  );
  return [...open, ...silent, ...Object.entries(node).flatMap(([key, value]) => lacking(value, `${path}/${key}`))];
}

describe('the JSON Schema for editors', () => {
  it('is what the profile schema gives: node scripts/profile-schema.ts writes it anew', () => {
    expect(readFileSync(join(root, SCHEMA_FILE), 'utf8')).toBe(written);
  });

  it('describes every key and knows every mapping', () => {
    expect(lacking(schema, '')).toEqual([]);
    expect(lacking({ type: 'object', properties: { a: {} } }, '')).toEqual([' takes any key', '/a says nothing']);
  });

  it.each([
    'version: 1',
    'version: 1\nready: { http: /health }\ngrace: 2s\nmemory: 256MiB\nstartTimeout: 500',
    'version: 1\nfiles: { /etc/x.yml: ./x.yml, /etc/y: { source: y, mode: "0600" } }\nvolumes: [/data, { path: /tmp, tmpfs: 64MiB }]',
    'version: 1\ndependencies: { db: { image: postgres, env: { A: b }, ready: { tcp: 5432 }, reset: [psql] } }',
    'version: 1\nimages: [{ image: a:1, grace: 1s }, { image: a:1, name: b, terms: { expiredStatus: any } }]',
    ...readdirSync(bundledFolder).map((name) => readFileSync(join(bundledFolder, name), 'utf8')),
  ])('takes %j', (text) => {
    expect(editor.safeParse(parse(text)).error?.issues ?? []).toEqual([]);
  });

  it.each([
    'port: 80',
    'version: 2',
    'version: 1\ngrase: 2s',
    'version: 1\ngrace: soon',
    'version: 1\nmemory: 256m',
    'version: 1\nport: 0',
    'version: 1\nvolumes: [data]',
    'version: 1\nready: {}',
    'version: 1\nready: { tcp: 1, log: x }',
    'version: 1\naccept: [{ status: 137, reason: x }]',
    'version: 1\ndependencies: { DB: { image: x, ready: { tcp: 1 } } }',
    'version: 1\ndependencies: { db: { image: x } }',
    'version: 1\nimages: [{ grace: 1s }]',
    'version: 1\nimages: [{ image: a, version: 1 }]',
  ])('refuses %j', (text) => {
    expect(editor.safeParse(parse(text)).success).toBe(false);
  });
});
