import { existsSync } from 'node:fs';

// A clone runs its sources, which the published package does not have; files under node_modules are not transformed.
const source = new URL('../harness/cli/main.ts', import.meta.url);
const built = new URL('../dist/harness/cli/main.js', import.meta.url);

await import((existsSync(source) ? source : built).href);
