import { describe, expect, it } from 'vitest';
import { architectureOf, emulationOf } from './emulation.ts';

describe('emulation', () => {
  it.each([
    ['x86_64', 'amd64'],
    ['amd64', 'amd64'],
    ['AMD64', 'amd64'],
    ['aarch64', 'arm64'],
    ['armv7l', 'arm'],
    ['i686', '386'],
    ['riscv64', 'riscv64'],
  ])('%s is called %s', (name, expected) => {
    expect(architectureOf(name)).toBe(expected);
  });

  it.each([
    ['x86_64', 'amd64', undefined],
    ['amd64', 'x86_64', undefined],
    ['aarch64', 'arm64', undefined],
    ['amd64', '386', undefined],
    [undefined, 'arm64', undefined],
    ['amd64', undefined, undefined],
    ['x86_64', 'arm64', 'linux/arm64 emulated on amd64'],
    ['arm64', 'amd64', 'linux/amd64 emulated on arm64'],
    ['386', 'amd64', 'linux/amd64 emulated on 386'],
    ['arm64', 'arm', 'linux/arm emulated on arm64'],
  ] as const)('on %s an image of %s is %s', (engine, image, expected) => {
    const host = engine === undefined ? {} : { architecture: engine };
    const facts = image === undefined ? {} : { architecture: image };
    expect(emulationOf(host, { ...facts, os: 'linux' })).toBe(expected);
  });
});
