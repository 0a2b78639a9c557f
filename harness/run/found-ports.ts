import type { FoundPort, Speech } from '../model/discovery.ts';
import type { Listener } from '../observe/listening.ts';
import type { Spoken } from '../observe/speech.ts';

/** What the ports of a container are: exposed by its image, listened on as seen from inside, and what they speak. */
export interface PortFacts {
  readonly exposed: readonly number[];
  /** Absent where it was not seen. */
  readonly listeners?: readonly Listener[];
  readonly spoken: ReadonlyMap<number, Spoken>;
}

/** What carries HTTP comes first. */
const ORDER: readonly Speech[] = ['http', 'https', 'h2c', 'tls', 'tcp'];

/** Each port once, in the order of preference: by what it speaks, of equals what the image exposes, of these the lowest. */
export function foundPorts({ exposed, listeners, spoken }: PortFacts): readonly FoundPort[] {
  const ports = [...new Set([...exposed, ...(listeners ?? []).map(({ port }) => port)])];
  return ports
    .map((port): FoundPort => {
      const listener = listeners?.find((one) => one.port === port);
      const common = { port, exposed: exposed.includes(port) };
      if (listener?.from === 'loopback')
        return { ...common, listening: 'loopback', told: 'listened on by loopback only' };
      const said = spoken.get(port);
      if (said === undefined) {
        const told = listener === undefined ? 'nothing listens there' : 'was not asked';
        return { ...common, listening: listener === undefined ? 'not' : 'reachable', told };
      }
      const { silent: _, unwell: __, ...speech } = said;
      return { ...common, listening: said.speaks === undefined ? 'not' : 'reachable', ...speech };
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || Number(b.exposed) - Number(a.exposed) || a.port - b.port);
}

function rankOf({ speaks, listening }: FoundPort): number {
  if (speaks !== undefined) return ORDER.indexOf(speaks);
  return ORDER.length + ['reachable', 'loopback', 'not'].indexOf(listening);
}
