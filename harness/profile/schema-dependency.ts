import { z } from 'zod';
import { list, text } from './schema-parts.ts';
import { ready, startTimeout } from './schema-ready.ts';
import { setupShape } from './schema-setup.ts';

/* Other containers on the run's network that the service needs: a database, a queue. */

const aliasWanted = 'expected a host name of small letters, digits, "-" and ".", like db';
/** What the service calls it; `localhost` would be the service itself. */
const alias = z
  .string()
  .regex(/^(?!localhost$)(?=.{1,63}$)[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/, {
    error: aliasWanted,
  });

export const dependency = z.strictObject(
  {
    image: text.describe('image of the dependency, found and pulled like the one that is judged'),
    ...setupShape,
    ready: ready.describe('how it is seen that it is ready; exactly one of http (with its port), tcp, log, health'),
    startTimeout: startTimeout.optional().describe('how long it may take to become ready; 30s where it is left out'),
    reset: list(z.string({ error: 'expected text' }), 'words')
      .min(1, { error: 'expected at least one word' })
      .optional()
      .describe('command run in it before each scenario, so that none sees what another left'),
  },
  { error: 'expected { image, ready } and what else it needs' },
);

export const dependencies = z.record(alias, dependency, {
  error: 'expected a mapping of host name: { image, ready }',
});
