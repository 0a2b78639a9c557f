import type Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { toContainerState } from './container-state.ts';

const inspected = (state: Partial<Docker.ContainerInspectInfo['State']>) =>
  toContainerState({
    State: {
      Running: false,
      Status: 'exited',
      ExitCode: 0,
      OOMKilled: false,
      Pid: 0,
      StartedAt: '',
      FinishedAt: '0001-01-01T00:00:00Z',
      ...state,
    },
  } as Docker.ContainerInspectInfo);

describe('the state of a container', () => {
  it.each([
    ['running', true],
    ['paused', true],
    ['stopping', true],
    ['stopped', false],
    ['exited', false],
    ['created', false],
  ])('%s beside Running: false is running: %s', (Status, running) => {
    expect(inspected({ Status }).running).toBe(running);
  });

  it('has no exit code while Podman’s own stop is under way: its 0 means nothing yet', () => {
    expect(inspected({ Status: 'stopping', ExitCode: 0 })).not.toHaveProperty('exitCode');
  });
});
