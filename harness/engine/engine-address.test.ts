import { describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import { parseAddress } from './engine-address.ts';

describe('parseAddress', () => {
  it.each([
    ['unix:///var/run/docker.sock', { kind: 'unix', socketPath: '/var/run/docker.sock' }],
    ['tcp://build.example:2376', { kind: 'tcp', host: 'build.example', port: 2376 }],
    ['tcp://127.0.0.1', { kind: 'tcp', host: '127.0.0.1', port: 2375 }],
    ['tcp://[::1]:5000', { kind: 'tcp', host: '::1', port: 5000 }],
  ])('reads %s', (address, parsed) => {
    expect(parseAddress(address)).toEqual(parsed);
  });

  it.each([
    ['ssh://user@host', 'ssh:// is not supported yet'],
    ['npipe:////./pipe/docker_engine', 'npipe:// is not supported yet'],
    ['/var/run/docker.sock', 'has no scheme'],
    ['unix://', 'names no socket'],
    ['tcp://host:port', 'cannot be read'],
  ])('refuses %s: %s', (address, reason) => {
    expect(() => parseAddress(address)).toThrow(EngineError);
    expect(() => parseAddress(address)).toThrow(reason);
    expect(() => parseAddress(address)).toThrow(address);
  });
});
