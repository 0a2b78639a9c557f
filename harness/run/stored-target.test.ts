import { expect, it } from 'vitest';
import type { Target } from '../model/target.ts';
import { storedTarget } from './stored-target.ts';

const target: Target = {
  name: 'shop:1',
  image: 'sha256:1',
  command: ['shop', '--token=hush'],
  env: { A: 'hush' },
  ready: { kind: 'tcp', port: 80, origin: 'EXPOSE' },
  startTimeoutMs: 1000,
  files: [],
  volumes: [],
  outbound: false,
  dependencies: [
    {
      alias: 'db',
      reference: 'postgres:17',
      image: 'sha256:2',
      env: { PASSWORD: 'hush' },
      files: [],
      volumes: [],
      command: ['serve', 'hush'],
      reset: ['clear', '--password=hush'],
      ready: { kind: 'tcp', port: 5432, origin: 'profile' },
      startTimeoutMs: 1000,
    },
  ],
  endpoints: {
    slow: [],
    stream: [],
    sse: [],
    upload: [],
    control: [],
    webSocket: [{ path: '/ws', headers: { authorization: 'Bearer of hush' } }],
  },
  registry: { urlEnv: 'URL', env: { TOKEN: 'hush' } },
  faults: { 'stuck-thread': { B: 'hush' } },
  secrets: ['hush'],
};

it('no value of any environment is stored, only the names, and no secret of a command', () => {
  const stored = storedTarget(target);
  expect(JSON.stringify(stored)).not.toContain('hush');
  expect(stored).toMatchObject({
    envKeys: ['A'],
    registry: { urlEnv: 'URL', env: { TOKEN: '<set>' } },
    faults: { 'stuck-thread': { B: '<set>' } },
    command: ['shop', '--token=***'],
    endpoints: { webSocket: [{ path: '/ws', headers: { authorization: '<set>' } }] },
    dependencies: [
      {
        alias: 'db',
        env: { PASSWORD: '<set>' },
        command: ['serve', '***'],
        reset: ['clear', '--password=***'],
      },
    ],
  });
});
