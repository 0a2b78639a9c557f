import { z } from 'zod';
import { profileSchema } from './schema.ts';

/** Where the JSON Schema of `lf-qualify.yaml` lies in the repository and in the package. */
export const SCHEMA_FILE = 'schema/lf-qualify.schema.json';

type Properties = Record<string, z.core.JSONSchema._JSONSchema>;

/**
 * The JSON Schema of `lf-qualify.yaml` for editors, made from the schema that loading checks with: the same keys, their
 * descriptions, and as much of their values as JSON Schema can say. Draft 7, which editors know best.
 */
export function profileJsonSchema(): string {
  const schema = z.toJSONSchema(profileSchema, { io: 'input', target: 'draft-7' });
  const top: Properties = schema.properties ?? {};
  const entry = (top['images'] as z.core.JSONSchema.ArraySchema).items as z.core.JSONSchema.ObjectSchema;
  const ofEntry: Properties = entry.properties ?? {};
  // What an entry and the top share is said once.
  const definitions: Properties = {};
  for (const key of Object.keys(ofEntry)) {
    const shared = top[key];
    if (shared === undefined || JSON.stringify(shared) !== JSON.stringify(ofEntry[key])) continue;
    definitions[key] = shared;
    top[key] = ofEntry[key] = { $ref: `#/definitions/${key}` };
  }
  return `${JSON.stringify({ ...schema, definitions }, null, 2)}\n`;
}
