import { z } from 'zod';
import { absolute, list, size, text, variables, yesOrNo } from './schema-parts.ts';

/* What a container gets besides its image: the service's, and that of a dependency. */

/** The engines take no less: Docker refuses below 6 MiB. */
const LEAST_MEMORY = 6 * 1024 ** 2;

const modeWanted = 'expected permission bits as text in quotes, like "0644"';
const mode = z
  .string({ error: modeWanted })
  .regex(/^0?[0-7]{3,4}$/, { error: modeWanted })
  .optional()
  .describe('permission bits in octal, in quotes: "0644"; those of the source where it is left out');
const source = text.describe('a file on this machine, relative to the profile');

const placedFile = z.strictObject(
  { path: absolute.describe('where it is put in the container'), source, mode },
  { error: 'expected { path: /in/container, source: ./file }' },
);
const placedAt = z.strictObject({ source, mode }, { error: 'expected ./file or { source: ./file, mode: "0644" }' });

const volume = z.strictObject(
  {
    path: absolute.describe('where it is mounted in the container'),
    tmpfs: z
      .union([z.literal(true), size(1, 'expected a size of at least one byte')], {
        error: 'expected true, or a size like 64MiB',
      })
      .optional()
      .describe('in memory instead of on disk: true, or at most so much'),
  },
  { error: 'expected a path like /data, or { path: /tmp, tmpfs: 64MiB }' },
);

export const setupShape = {
  command: list(z.string({ error: 'expected text' }), 'words')
    .optional()
    .describe("the words that replace the image's command (CMD); its entrypoint stays"),
  env: variables.optional().describe('environment of the container; the values are stored nowhere'),
  envFile: z
    .union([text, list(text, 'files')], { error: 'expected the path of a file, or a list of such' })
    .optional()
    .describe(
      'files with NAME=value lines, relative to the profile; a later one goes before an earlier, env before all',
    ),
  user: text.optional().describe("user to run as: a name, uid or uid:gid; the image's where it is left out"),
  files: z
    .union(
      [
        list(placedFile, '{ path, source }'),
        z.record(absolute, z.union([text, placedAt], { error: 'expected ./file or { source: ./file, mode: "0644" }' })),
      ],
      { error: 'expected a mapping of /in/container: ./file, or a list of { path, source, mode }' },
    )
    .optional()
    .describe('files put into the container before it starts: /in/container: ./file'),
  volumes: list(
    z.union([absolute, volume], { error: 'expected a path like /data, or { path: /tmp, tmpfs: 64MiB }' }),
    'paths in the container',
  )
    .optional()
    .describe('places to write, new and empty for each container and removed with it'),
  memory: size(LEAST_MEMORY, 'expected at least 6MiB, the least that an engine takes')
    .optional()
    .describe('memory limit of the container: 256MiB'),
};

export const network = z.strictObject(
  {
    outbound: yesOrNo
      .optional()
      .describe('let the containers of the run reach other networks; else there is no way out'),
  },
  { error: 'expected { outbound: true }' },
);
