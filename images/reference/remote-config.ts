import type { ConfigCache } from './config-cache.ts';
import type { Log } from './log.ts';
import type { StartUpPhase } from './start-up.ts';

/** Longer than any answer of a config server that is well, ms. */
const ANSWER_LIMIT_MS = 10_000;
const VALUES = 'values.yml';

type Cache = Pick<ConfigCache, 'write' | 'has'>;

/**
 * The phase that gets the configuration from a config server into the cache: `configs` is values.yml itself, `certs` and
 * `files` are JSON objects of base64 by file name, and none where there are none (404). Without values the cache of an
 * earlier start has to do; without the others the start goes on.
 */
export const remoteConfig = (uri: string, cache: Cache, log: Log): StartUpPhase => {
  let loading = Promise.resolve();
  const get = async (what: string, accept: string, cancel: AbortSignal): Promise<Response> => {
    const signal = AbortSignal.any([cancel, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    return await fetch(new URL(`/config-server/${what}`, uri), { headers: { accept }, signal });
  };
  const bodyOf = async (what: string, answer: Response): Promise<Uint8Array> => {
    if (!answer.ok) throw new Error(`the config server answered ${what} with ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const values = async (cancel: AbortSignal): Promise<void> => {
    const body = await bodyOf('configs', await get('configs', 'application/yaml', cancel));
    await cache.write(VALUES, body, cancel);
  };
  const files = async (what: string, cancel: AbortSignal): Promise<void> => {
    const answer = await get(what, 'application/json', cancel);
    if (answer.status === 404) return;
    const body = await bodyOf(what, answer);
    if (body.length === 0) return;
    const entries: unknown = JSON.parse(Buffer.from(body).toString());
    for (const [name, base64] of Object.entries(entries as Readonly<Record<string, string>>))
      await cache.write(name, Buffer.from(base64, 'base64'), cancel);
  };
  const load = async (cancel: AbortSignal): Promise<void> => {
    try {
      await values(cancel);
    } catch (cause) {
      if (cancel.aborted) throw cause;
      if (!(await cache.has(VALUES))) throw new Error(`no configuration: ${String(cause)}`, { cause });
      log.warn('config server failed; starting with the cached configuration', { error: String(cause) });
      return; // a server that fails is not asked for more
    }
    for (const what of ['certs', 'files']) {
      try {
        await files(what, cancel);
      } catch (cause) {
        if (cancel.aborted) throw cause;
        log.warn(`config server failed; starting without new ${what}`, { error: String(cause) });
      }
    }
  };
  return {
    name: 'configuration',
    run(cancel) {
      loading = load(cancel);
      return loading;
    },
    // a file that is being written is completed or removed first
    undo: () => loading.catch(() => undefined),
  };
};
