import { expect, it } from 'vitest';
import type { Target } from '../model/target.ts';
import { storedTarget } from './stored-target.ts';

const target: Target = {
  name: 'shop:1',
  image: 'sha256:1',
  env: { A: 'hush' },
  ready: { kind: 'tcp', port: 80, origin: 'EXPOSE' },
  startTimeoutMs: 1000,
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  registry: { urlEnv: 'URL', env: { TOKEN: 'hush' } },
  faults: { 'stuck-thread': { B: 'hush' } },
  secrets: ['hush'],
};

it('no value of any environment is stored, only the names', () => {
  const stored = storedTarget(target);
  expect(JSON.stringify(stored)).not.toContain('hush');
  expect(stored).toMatchObject({
    envKeys: ['A'],
    registry: { urlEnv: 'URL', env: { TOKEN: '<set>' } },
    faults: { 'stuck-thread': { B: '<set>' } },
  });
});
