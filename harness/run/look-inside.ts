import type { ConfigServer } from '../inject/config-server.ts';
import type { EngineDriver, RunningContainer } from '../engine/driver.ts';
import { EngineError } from '../model/errors.ts';
import { reasonOf } from '../model/network.ts';
import type { Target } from '../model/target.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Life } from './life.ts';
import { missing } from './reach-ready.ts';

/** How long the engine may take to see an end that was seen before it. */
const SEEN_END_LIMIT_MS = 10_000;

/**
 * Read the declared cache out of the ended container and record its files (STA-5). Those that the played config server has
 * are compared byte by byte; of others nothing is known. Throws EngineError where the engine is lost.
 */
export async function lookInside(context: {
  readonly driver: EngineDriver;
  readonly container: Pick<RunningContainer, 'id' | 'ended'>;
  readonly target: Target;
  readonly life: Pick<Life, 'ended'>;
  readonly recorder: Recorder;
  readonly configServer?: ConfigServer;
}): Promise<void> {
  const { driver, container, target, life, recorder, configServer } = context;
  const path = target.bootstrap?.cache;
  if (path === undefined) {
    const declare = 'bootstrap: { urlEnv: NAME, cache: /path/in/the/container }';
    missing(context, 'bootstrap', 'no folder is declared in which it keeps its config', declare);
    return;
  }
  const begin = recorder.now();
  if (!life.ended.aborted) {
    recorder.record({ kind: 'cache.after-exit', begin, path, files: [], error: 'the container has not ended' });
    return;
  }
  try {
    // Podman takes one that it has not seen end yet for running, and looks for it among the processes
    await container.ended(AbortSignal.timeout(SEEN_END_LIMIT_MS));
    const found = await driver.readFolder(container.id, path);
    const files = found.map(({ name, bytes, content }) => {
      const played = configServer?.files.get(name);
      return { name, bytes, ...(played && { same: content !== undefined && played.equals(content) }) };
    });
    recorder.record({ kind: 'cache.after-exit', begin, path, files });
  } catch (error) {
    if (error instanceof EngineError && error.lost) throw error;
    recorder.record({ kind: 'cache.after-exit', begin, path, files: [], error: reasonOf(error) });
  }
}
