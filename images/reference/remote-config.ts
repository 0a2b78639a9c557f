import type { ConfigCache } from './config-cache.ts';
import type { Log } from './log.ts';
import type { StartUpPhase } from './start-up.ts';

/** Longer than any answer of a config server that is well, ms. */
const ANSWER_LIMIT_MS = 10_000;
const VALUES = 'values.yml';

type Cache = Pick<ConfigCache, 'write' | 'has'>;

/**
 * The phase that gets the configuration from a config server into the cache: `configs` is values.yml itself, `certs` and
 * `files` are JSON objects of base64 by file name. Without an answer the cache of an earlier start has to do.
 */
export const remoteConfig = (uri: string, cache: Cache, log: Log): StartUpPhase => {
  let loading = Promise.resolve();
  const get = async (what: string, accept: string, cancel: AbortSignal): Promise<Response> => {
    const signal = AbortSignal.any([cancel, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    const answer = await fetch(new URL(`/config-server/${what}`, uri), { headers: { accept }, signal });
    if (!answer.ok) throw new Error(`the config server answered ${what} with ${answer.status}`);
    return answer;
  };
  const load = async (cancel: AbortSignal): Promise<void> => {
    const values = await get('configs', 'application/yaml', cancel);
    await cache.write(VALUES, new Uint8Array(await values.arrayBuffer()), cancel);
    for (const what of ['certs', 'files']) {
      const files = (await (await get(what, 'application/json', cancel)).json()) as Readonly<Record<string, string>>;
      for (const [name, base64] of Object.entries(files))
        await cache.write(name, Buffer.from(base64, 'base64'), cancel);
    }
  };
  const loadOrFallBack = async (cancel: AbortSignal): Promise<void> => {
    try {
      await load(cancel);
    } catch (cause) {
      if (cancel.aborted) throw cause;
      if (!(await cache.has(VALUES))) throw new Error(`no configuration: ${String(cause)}`, { cause });
      log.warn('config server failed; starting with the cached configuration', { error: String(cause) });
    }
  };
  return {
    name: 'configuration',
    run(cancel) {
      loading = loadOrFallBack(cancel);
      return loading;
    },
    // a file that is being written is completed or removed first
    undo: () => loading.catch(() => undefined),
  };
};
