import { describe, expect, it } from 'vitest';
import { EngineError } from '../model/errors.ts';
import { parseAddress, parseEndpoint } from './engine-address.ts';

const docker = '/var/run/docker.sock';

describe('parseAddress', () => {
  it.each([
    ['unix:///var/run/docker.sock', { kind: 'unix', socketPath: docker }],
    ['tcp://build.example:2376', { kind: 'tcp', host: 'build.example', port: 2376 }],
    ['tcp://127.0.0.1', { kind: 'tcp', host: '127.0.0.1', port: 2375 }],
    ['tcp://[::1]:5000', { kind: 'tcp', host: '::1', port: 5000 }],
    ['ssh://build', { kind: 'ssh', destination: 'build', socketPath: docker }],
    ['ssh://me@build:2222/', { kind: 'ssh', destination: 'me@build', port: 2222, socketPath: docker }],
    [
      'ssh://me@[::1]/run/user/7/podman.sock',
      { kind: 'ssh', destination: 'me@::1', socketPath: '/run/user/7/podman.sock' },
    ],
  ])('reads %s', (address, parsed) => {
    expect(parseAddress(address)).toEqual(parsed);
  });

  it('takes the port of TLS where none is named and TLS is asked for', () => {
    expect(parseAddress('tcp://build', { tls: true })).toMatchObject({ port: 2376 });
    expect(parseAddress('tcp://build:1234', { tls: true })).toMatchObject({ port: 1234 });
  });

  it.each([
    ['npipe:////./pipe/docker_engine', 'npipe:// is not supported'],
    ['/var/run/docker.sock', 'has no scheme'],
    ['unix://', 'names no socket'],
    ['tcp://host:port', 'cannot be read'],
    ['ssh://', 'cannot be read'],
    ['ssh://-oProxyCommand=id', 'cannot be read'],
    ['ssh://-oProxyCommand=id@host', 'cannot be read'],
    ['ssh://%2DoProxyCommand=id@host', 'cannot be read'],
  ])('refuses %s: %s', (address, reason) => {
    expect(() => parseAddress(address)).toThrow(EngineError);
    expect(() => parseAddress(address)).toThrow(reason);
    expect(() => parseAddress(address)).toThrow(address);
  });

  it('refuses a password for ssh, and does not repeat it', () => {
    expect(() => parseAddress('ssh://me:secret@host')).toThrow(/a password .* is not used/);
    expect(() => parseAddress('ssh://me:secret@host')).not.toThrow(/secret/);
  });
});

describe('parseEndpoint', () => {
  it('takes what HTTP can be spoken to, not ssh', () => {
    expect(parseEndpoint('unix:///a.sock')).toEqual({ kind: 'unix', socketPath: '/a.sock' });
    expect(() => parseEndpoint('ssh://host')).toThrow(EngineError);
  });
});
