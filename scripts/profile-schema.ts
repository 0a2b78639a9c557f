// Writes the JSON Schema of lf-qualify.yaml for editors. A test fails where it is stale: node scripts/profile-schema.ts
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileJsonSchema, SCHEMA_FILE } from '../harness/profile/json-schema.ts';

const path = join(fileURLToPath(new URL('..', import.meta.url)), SCHEMA_FILE);
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, profileJsonSchema());
