import type Docker from 'dockerode';
import { describe, expect, it } from 'vitest';
import { inspectContainer } from './container-inspect.ts';

const ended = { State: { Status: 'exited' } } as Docker.ContainerInspectInfo;

/** A container whose first look fails. */
const failingOnce = (message: string) => {
  let looks = 0;
  const inspect = async (): Promise<Docker.ContainerInspectInfo> => {
    looks += 1;
    if (looks === 1) throw new Error(message);
    return ended;
  };
  return { inspect: inspect as Docker.Container['inspect'] };
};

describe('a look at a container', () => {
  it('is repeated once where its PID 1 ended meanwhile', async () => {
    const message = '(HTTP code 500) server error - read /proc/23459/cgroup: no such process';
    expect(await inspectContainer(failingOnce(message))).toBe(ended);
  });

  it('is not repeated for anything else', async () => {
    const message = '(HTTP code 404) no such container';
    await expect(inspectContainer(failingOnce(message))).rejects.toThrow(message);
  });
});
