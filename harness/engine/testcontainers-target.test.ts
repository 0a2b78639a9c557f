import { expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import { bindTestcontainers } from './testcontainers-target.ts';

it('binds a process to one engine, and refuses a second one', () => {
  Object.assign(process.env, { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: '/of/another' });
  bindTestcontainers('unix:///one.sock');
  expect(process.env).toMatchObject({
    DOCKER_HOST: 'unix:///one.sock',
    TESTCONTAINERS_HOST_OVERRIDE: '127.0.0.1',
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  });
  expect(process.env).not.toHaveProperty('DOCKER_TLS_VERIFY');
  expect(process.env).not.toHaveProperty('DOCKER_CERT_PATH');
  bindTestcontainers('unix:///one.sock');
  expect(() => bindTestcontainers('unix:///two.sock')).toThrow(EngineError);
  expect(() => bindTestcontainers('unix:///two.sock')).toThrow(/at unix:\/\/\/one\.sock .* unix:\/\/\/two\.sock/);
  expect(process.env['DOCKER_HOST']).toBe('unix:///one.sock');
});
