import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { demultiplexer } from './demultiplexer.ts';
import type { OutputListener } from './driver.ts';

/**
 * What the engine stored of a container's output, as it is read: dockerode's own call holds all of it in memory unless it
 * follows, and a follow stream that is opened after the exit may never end on Podman (engines.md section 6). `lastEntries`
 * asks for the end only, in entries of the engine: a long line is several.
 */
export async function readStoredLog(
  container: Docker.Container,
  listener: OutputListener,
  lastEntries?: number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const request = {
    path: `/containers/${container.id}/logs?`,
    method: 'GET',
    isStream: true,
    statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
    options: { stdout: true, stderr: true, follow: false, ...(lastEntries === undefined ? {} : { tail: lastEntries }) },
  };
  container.modem.dial(request, (error: unknown, data: unknown) => (error ? reject(error) : resolve(data as Readable)));
  const split = demultiplexer(listener);
  for await (const chunk of await promise) split(chunk as Buffer);
}
