import { z } from 'zod';
import { dependencies } from './schema-dependency.ts';
import { judgementShape } from './schema-judgement.ts';
import { list, text } from './schema-parts.ts';
import { serviceShape } from './schema-service.ts';
import { network, setupShape } from './schema-setup.ts';

/* The file `lf-qualify.yaml`: `version: 1`, facts of one image, or of several under `images`. */

const need = z.strictObject(
  {
    what: text.describe('what the service cannot do without'),
    declare: z
      .enum(['dependencies', 'files', 'ready'], { error: 'expected dependencies, files or ready' })
      .describe('the key that meets the need where it says something'),
    how: text.describe('what to write'),
  },
  { error: 'expected { what, declare, how }' },
);

const about = z.strictObject(
  {
    origins: z
      .record(z.string(), text, { error: 'expected a mapping of key: where its value comes from' })
      .optional()
      .describe('where values come from, by key (of a term its name); shown beside them in reports'),
    needs: list(need, '{ what, declare, how }')
      .optional()
      .describe('what the service cannot do without; said where it is not declared'),
  },
  { error: 'expected a mapping with origins or needs' },
);

const imageShape = {
  ...judgementShape,
  ...setupShape,
  secrets: list(text, 'names of env keys or texts')
    .optional()
    .describe('names of environment variables whose values, or texts that, are masked in everything written'),
  ...serviceShape,
  network: network.optional().describe('what the containers of the run may reach'),
  dependencies: dependencies
    .optional()
    .describe('other containers on the network of the run, by the host name that the service calls'),
  about: about.optional().describe('what is known of the facts themselves'),
};

const nameWanted = 'expected a name of letters, digits and any of . _ : / @ + -';
const entry = z.strictObject(
  {
    image: text.describe('the image; one without tag and digest stands for each tag of its repository'),
    name: z
      .string({ error: nameWanted })
      .regex(/^[A-Za-z0-9][\w.:/@+-]*$/, { error: nameWanted })
      .optional()
      .describe('name for reports, so that one image can be qualified in several settings'),
    ...imageShape,
  },
  { error: 'expected { image: name:tag } and what is different for it' },
);

export const profileSchema = z
  .strictObject(
    {
      version: z
        .literal(1, { error: 'expected 1, the only version of this format' })
        .describe('version of this format: 1'),
      image: text.optional().describe('the image that is qualified where the command line names none, like orders:1.4'),
      images: list(entry, '{ image: name:tag }')
        .min(1, { error: 'expected at least one image' })
        .optional()
        .describe(
          'several images; what stands outside holds for each, a key of its own replaces that, and env is merged by name',
        ),
      engines: list(z.enum(['docker', 'podman'], { error: 'expected docker or podman' }), 'engines')
        .min(1, { error: 'expected at least one engine' })
        .optional()
        .describe('the engines to judge on, which must then be there; else every engine found'),
      ...imageShape,
    },
    { error: 'expected a mapping that begins with version: 1' },
  )
  .meta({ title: 'lf-qualify.yaml', description: 'facts, terms and waivers of one or several images for lf-qualify' });

export type ProfileFile = z.infer<typeof profileSchema>;
/** What can be said of one image. */
export type ImageKeys = Omit<ProfileFile, 'version' | 'images' | 'engines'> & { readonly name?: string | undefined };
