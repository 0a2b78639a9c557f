import { expect, it } from 'vitest';
import { hostOfKey, registryOf } from './registry-name.ts';

it.each([
  ['shop', 'docker.io', ['docker.io/library/shop', 'docker.io/library', 'docker.io']],
  ['shop:1', 'docker.io', ['docker.io/library/shop', 'docker.io/library', 'docker.io']],
  ['team/shop:1', 'docker.io', ['docker.io/team/shop', 'docker.io/team', 'docker.io']],
  ['docker.io/team/shop', 'docker.io', ['docker.io/team/shop', 'docker.io/team', 'docker.io']],
  ['index.docker.io/team/shop', 'docker.io', ['docker.io/team/shop', 'docker.io/team', 'docker.io']],
  ['registry.example/a/b/c:2@sha256:00', 'registry.example', ['registry.example/a/b/c', 'registry.example/a/b']],
  ['127.0.0.1:5000/shop:1', '127.0.0.1:5000', ['127.0.0.1:5000/shop', '127.0.0.1:5000']],
  ['localhost/shop', 'localhost', ['localhost/shop', 'localhost']],
] as const)('the registry of %s is %s', (reference, registry, namespaces) => {
  const name = registryOf(reference);
  expect(name.registry).toBe(registry);
  expect(name.namespaces).toEqual(expect.arrayContaining([...namespaces]));
  expect(name.namespaces[0]).toBe(namespaces[0]);
  expect(name.namespaces.at(-1)).toBe(registry);
  expect(name.dockerKey).toBe(registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry);
});

it.each([
  ['https://index.docker.io/v1/', 'docker.io'],
  ['registry-1.docker.io', 'docker.io'],
  ['https://registry.example/v2/', 'registry.example'],
  ['http://registry.example:5000', 'registry.example:5000'],
  ['registry.example', 'registry.example'],
])('the key %s belongs to %s', (key, host) => {
  expect(hostOfKey(key)).toBe(host);
});
