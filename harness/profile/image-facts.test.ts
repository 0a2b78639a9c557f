import { expect, it } from 'vitest';
import type { ImageFacts } from '../model/engine.ts';
import { imageDeclarations, readyFromImage } from './image-facts.ts';

function image(labels: Readonly<Record<string, string>>, exposedPorts: readonly number[] = []): ImageFacts {
  return {
    reference: 'example:1',
    digest: 'sha256:0',
    entrypoint: [],
    command: [],
    user: '',
    stopSignal: { value: 'SIGTERM', origin: 'engine default' },
    exposedPorts,
    labels,
    hasHealthcheck: false,
    repoDigests: [],
  };
}

it('an image without labels declares nothing', () => {
  expect(imageDeclarations(image({ other: 'x' }))).toEqual({});
});

it('labels declare preset, grace and readiness', () => {
  const labels = {
    'io.lf-qualify.preset': 'openab-cp',
    'io.lf-qualify.grace': '5s',
    'io.lf-qualify.ready': 'http:8080/health',
  };
  expect(imageDeclarations(image(labels))).toEqual({
    preset: 'openab-cp',
    graceMs: 5000,
    ready: { kind: 'http', port: 8080, path: '/health', origin: 'image label' },
  });
});

it.each([
  [
    'a label goes before EXPOSE',
    { 'io.lf-qualify.ready': 'tcp:99' },
    [80],
    { kind: 'tcp', port: 99, origin: 'image label' },
  ],
  [
    'a path may be left out',
    { 'io.lf-qualify.ready': 'http:99' },
    [],
    { kind: 'http', port: 99, path: '/', origin: 'image label' },
  ],
  [
    'a log line',
    { 'io.lf-qualify.ready': 'log:up in \\d+' },
    [],
    { kind: 'log', pattern: 'up in \\d+', origin: 'image label' },
  ],
  ['one exposed port', {}, [8080], { kind: 'tcp', port: 8080, origin: 'EXPOSE 8080' }],
  ['several exposed ports', {}, [9090, 443], { kind: 'tcp', port: 443, origin: 'lowest of EXPOSE 443 9090' }],
  ['nothing at all', {}, [], { kind: 'settled', afterMs: 2000, origin: 'assumed: nothing is declared or exposed' }],
])('readiness: %s', (_, labels, ports, expected) => {
  expect(readyFromImage(image(labels as Record<string, string>, ports))).toEqual(expected);
});

it.each([
  ['preset', 'light-fabrik', 'unknown preset "light-fabrik" (did you mean "light-fabric"?); use one of light-fabric, '],
  ['grace', 'soon', '"soon" is not a duration; '],
  ['ready', 'tcp:8080/health', 'cannot read "tcp:8080/health"; write http:8080/health, tcp:8080 or '],
  ['ready', 'http:70000/', 'cannot read "http:70000/"; '],
  ['ready', 'log:(', 'cannot read "log:("; '],
  ['ready', '', 'cannot read ""; '],
])('a label %s that says %s is an error, not ignored', (label, value, message) => {
  const facts = image({ [`io.lf-qualify.${label}`]: value });
  expect(() => imageDeclarations(facts)).toThrow(`image example:1, label io.lf-qualify.${label}: ${message}`);
});
