import { z } from 'zod';

/*
 * The shape of a scenario as a file of somebody's own must have it: what model/scenario.ts says in types, for files that
 * nobody type-checks. A test holds the two together.
 */

const column = z.templateLiteral(['$', z.string()]);
const time = z.string({ error: 'expected a time such as "200ms", "1s" or "grace - 150ms"' });
const count = z.int({ error: 'expected a whole number' }).min(1, { error: 'expected a whole number from 1' });
const wayNames = ['any', 'http', 'https', 'h2', 'tcp'] as const;
const way = z
  .union([z.enum(wayNames), column], { error: `expected one of ${wayNames.join(', ')}, or $column of the matrix` })
  .optional();
const stalledKinds = [
  'silent',
  'half-request-line',
  'half-headers',
  'half-body',
  'half-tls-handshake',
  'reader-stops',
  'half-closed',
  'half-sent',
  'one-line',
] as const;
const webSocketKinds = [
  'idle',
  'chatty',
  'unregistered',
  'never-closes',
  'stops-reading',
  'backlog',
  'half-upgrade',
  'refused',
] as const;
const faults = ['slow-clean-up', 'stuck-clean-up', 'stuck-thread', 'stuck-start-up', 'bad-configuration'] as const;
const capabilities = [
  'http',
  'tcp',
  'direct',
  'held work',
  'grace env',
  'registry',
  'bootstrap',
  'websocket',
  'tls',
  'http2',
  'stream',
  'control',
  'liveness',
  'init',
  'fault',
] as const;

const oneOf = <const T extends readonly [string, ...string[]]>(names: T) =>
  z.enum(names, { error: `expected one of ${names.join(', ')}` });

const signal = z
  .string({ error: 'expected a signal' })
  .regex(/^(primary|[A-Z][A-Z0-9+-]*|\$\w+)$/, {
    error: 'expected a signal without SIG, such as "TERM", or "primary", or $column of the matrix',
  })
  .regex(/^(?!SIG)/, { error: 'expected a signal without SIG, such as "TERM"' });

const peer = z.union([oneOf(['bootstrap', 'registration']), column], {
  error: 'expected bootstrap or registration, or $column of the matrix',
});

const steps = {
  ready: { answers: count },
  registered: { within: time },
  load: {},
  probe: { every: time, kept: z.int().min(0), way },
  hold: { for: time },
  signal: { signal, by: z.literal('host').optional() },
  storm: { signal, count, within: time },
  stop: { timeout: z.string() },
  'gate-closed': { within: time },
  ask: {},
  upgrade: {},
  finish: {},
  watch: { for: time, every: time },
  exited: { within: time },
  starting: { for: time },
  settle: { for: time, within: time },
  pending: { peer, within: time },
  release: { peer },
  'early-probe': { every: time },
  'look-inside': {},
  'write-state': {},
  restart: {},
};

const shapes = {
  'slow-body': { count, way },
  'slow-answer': { count, for: time, way },
  'warm-slow-body': { count, way },
  upload: { count, way },
  stream: { kind: z.union([oneOf(['chunked', 'sse']), column]), count, for: time.optional(), way },
  'idle-keep-alive': { count, way },
  'half-headers': { count, way },
  stalled: { kind: z.union([oneOf(stalledKinds), column]), way },
  'http2-sessions': { streams: count },
  'web-sockets': {
    kind: z.union([oneOf(webSocketKinds), column], {
      error: `expected one of ${webSocketKinds.join(', ')}, or $column of the matrix`,
    }),
    count,
    way,
  },
};

const controllers = {
  acknowledges: { after: time },
  silent: {},
  'holds-registration': {},
  'holds-handshake': {},
  'refuses-registration': {},
};
const configServers = { answers: {}, holds: {}, 'holds-half': {}, fails: {} };

/**
 * One object of several kinds, told apart by `key`. What has another kind is an issue at that key that names all. A kind
 * that `columns` may take from the matrix has nothing beside it.
 */
function byKind(key: string, kinds: Readonly<Record<string, z.ZodRawShape>>, columns = false) {
  return z.looseObject({}).superRefine((value, context) => {
    const kind = value[key];
    const own = typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
    const shape = columns && column.safeParse(kind).success ? {} : own;
    if (shape === undefined) {
      const message = `unknown ${key} ${JSON.stringify(kind)}; known are ${Object.keys(kinds).join(', ')}`;
      context.addIssue({ code: 'custom', path: [key], message });
      return;
    }
    const parsed = z.strictObject({ ...shape, [key]: z.literal(kind as string) }).safeParse(value);
    for (const { path, message } of parsed.error?.issues ?? []) context.addIssue({ code: 'custom', path, message });
  });
}

/** A scenario of a file of one's own. Clause ids, columns and times are checked by whoever knows them. */
export const scenarioSchema = z.strictObject({
  id: z.string({ error: 'expected text' }).regex(/^[a-z0-9]+(-[a-z0-9]+)*(\/[a-z0-9]+(-[a-z0-9]+)*)*$/, {
    error: 'expected lower-case words joined by - and /, such as "orders/stop-while-busy"',
  }),
  title: z.string({ error: 'expected text' }).min(1, { error: 'expected text that is not empty' }),
  needs: z.array(oneOf(capabilities)).optional(),
  matrix: z
    .record(
      z.string().regex(/^\w+$/, { error: 'expected a column name of letters and digits' }),
      z.array(z.union([z.string(), z.number()])).min(1, { error: 'expected at least one value' }),
      { error: 'expected columns, each with a list of values' },
    )
    .optional(),
  sweep: z
    .strictObject({
      column: z.string({ error: 'expected the name of a column of the matrix' }),
      to: z.string().regex(/^\d+(ms|s)$/, { error: 'expected a plain time such as "25ms"' }),
    })
    .optional(),
  setting: z
    .strictObject({
      grace: z.string().optional(),
      init: z.literal(true).optional(),
      controller: byKind('kind', controllers, true).optional(),
      bootstrap: byKind('kind', configServers, true).optional(),
      fault: z.union([oneOf(faults), column]).optional(),
    })
    .optional(),
  load: z.array(byKind('shape', shapes), { error: 'expected a list of what keeps the service busy' }).optional(),
  script: z
    .array(byKind('step', steps), { error: 'expected a list of steps, such as [ready(), signal("TERM"), exited()]' })
    .min(1, { error: 'expected at least one step' }),
  clauses: z
    .array(z.string({ error: 'expected a clause id' }), { error: 'expected a list of clause ids' })
    .min(1, { error: 'expected at least one clause id: without one nothing would be judged by it' }),
});
