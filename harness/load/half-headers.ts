import { requestHead } from '../wire/connection.ts';
import { holdConnection, notHeld, noWayIn, plainAccess } from './held-connection.ts';
import type { TrafficShape } from './traffic.ts';
import type { WatchedConnection } from './watched-connection.ts';
import { askOnce, openWatched } from './watched-connection.ts';
import { endingInWords } from '../wire/ending.ts';

const SHAPE = 'half-headers';
const HOW = 'GET / with some headers and no empty line';

/**
 * Connections whose headers are half sent: not admitted, complete at `finish` (ADM-9). Held means neither answered nor
 * closed for a while; all of them must be.
 */
export const halfHeaders: TrafficShape<'half-headers'> = async (load, context) => {
  const { recorder, id } = context;
  const access = plainAccess(context.access);
  const normal = await askOnce(access, recorder.now, { method: 'GET', path: '/' });
  if ('problem' in normal) return noWayIn(context, SHAPE, normal.problem);
  // the empty line and the header before it are what is missing
  const first = requestHead(access, 'GET', '/', { accept: '*/*' }).slice(0, -2);
  const rest = 'user-agent: lf-qualify\r\n\r\n';

  const opened = await Promise.all(
    Array.from({ length: load.count }, async () => {
      const connection = await openWatched(access, recorder.now);
      if ('problem' in connection) return connection;
      await connection.send(first);
      const end = await connection.proof();
      return end === undefined
        ? { connection, t: recorder.now() }
        : { connection, problem: `not held: ${endingInWords(end)}` };
    }),
  );
  const problems = opened.flatMap((one) => ('problem' in one ? [one.problem] : []));
  if (problems.length > 0) {
    for (const one of opened) if ('connection' in one) (one.connection as WatchedConnection).giveUp();
    const tried = [...new Set(problems)].map((problem) => `${HOW}: ${problem}`);
    const reason = `${problems.length} of ${load.count} connections were not held with half their headers: ${problems[0]}`;
    return notHeld(context, SHAPE, tried, { reason, declare: 'port: 8080   # one that waits for whole headers' });
  }
  const held = opened.flatMap((one, index) => {
    if (!('t' in one)) return [];
    const piece = { connection: one.connection, id: `${id}-${index + 1}`, shape: SHAPE, rest };
    const { begin } = one.connection;
    recorder.record({
      kind: 'work.held',
      t: one.t,
      begin,
      id: piece.id,
      shape: SHAPE,
      how: HOW,
      over: access.over,
      admitted: false,
      ends: 'finish',
      normal,
    });
    return [holdConnection(context, piece)];
  });
  return { held };
};
