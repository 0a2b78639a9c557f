import { findCredentials } from '../engine/registry-credentials.ts';
import type { ImageChoice } from '../run/image-source.ts';
import type { RunOptions } from './options.ts';
import type { Engines } from './session.ts';

/** What the options say about where images come from, with the credentials of whoever calls. */
export function imageChoice(
  { pull, platform }: RunOptions['source'],
  { source }: Pick<Engines, 'source'>,
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
): ImageChoice {
  return {
    pull,
    ...(platform === undefined ? {} : { platform }),
    ...(source === undefined ? {} : { from: source }),
    credentials: async (engine, reference) => await findCredentials(engine, reference, { env, say }),
  };
}
