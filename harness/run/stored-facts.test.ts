import { expect, it } from 'vitest';
import type { ImageFacts } from '../model/engine.ts';
import { createMask } from '../model/mask.ts';
import { storedFacts } from './stored-facts.ts';

const facts: ImageFacts = {
  reference: 'hush/shop:1',
  digest: 'sha256:hush',
  entrypoint: ['/shop', '--token=hush'],
  command: ['hush'],
  user: '',
  stopSignal: { value: 'SIGTERM', origin: 'image' },
  exposedPorts: [80],
  labels: { vendor: 'says hush', 'io.lf-qualify.profile': 'version: 1\nenv: { A: value }' },
  hasHealthcheck: false,
  repoDigests: [],
};

it('no secret is stored, nor a profile that may hold values, and the image is still named', () => {
  expect(storedFacts(facts, createMask(['hush']))).toEqual({
    ...facts,
    entrypoint: ['/shop', '--token=***'],
    command: ['***'],
    labels: { vendor: 'says ***', 'io.lf-qualify.profile': '<set>' },
  });
});

it('labels stay as they are where there is neither', () => {
  const plain = { ...facts, labels: { vendor: 'shop' } };
  expect(storedFacts(plain, createMask([]))).toEqual(plain);
});
