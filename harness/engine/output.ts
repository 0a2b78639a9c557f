import type Docker from 'dockerode';
import { demultiplexer } from './demultiplexer.ts';
import type { StartHooks } from './driver.ts';

/** The attached output of a container. */
export interface AttachedOutput {
  /** Resolves when the stream ended, also when it broke: whoever waits then asks the engine. */
  readonly ended: Promise<void>;
}

/** Attaches stdout and stderr of a created container, so that nothing is lost (engines.md section 6). */
export async function attachOutput(container: Docker.Container, hooks: StartHooks): Promise<AttachedOutput> {
  const stream = await container.attach({ stream: true, stdout: true, stderr: true });
  const split = demultiplexer((name, chunk) => hooks.onOutput?.(name, chunk));
  const ended = new Promise<void>((resolve) => {
    stream.on('end', resolve);
    stream.on('close', resolve);
    stream.on('error', () => resolve());
  });
  stream.on('data', split);
  return { ended: ended.then(() => hooks.onOutputEnd?.()) };
}
