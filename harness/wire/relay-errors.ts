import { constants } from 'node:os';

/** Code of what happens to a connection when the way to it is lost: it says nothing about the other side. */
export const RELAY_LOST = 'ERELAYLOST';

export function relayLost(reason: string): NodeJS.ErrnoException {
  return Object.assign(new Error(reason), { code: RELAY_LOST });
}

/** Whether an error is only about the way to a connection: what became of the connection itself is not known. */
export function isRelayLost(error: Error | undefined): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === RELAY_LOST;
}

type Call = 'connect' | 'listen' | 'read' | 'write';

/** An error of the system as node:net makes it, from the name that the helper gives. */
export function systemError(
  syscall: Call,
  code: string,
  to?: { readonly host: string; readonly port: number },
): NodeJS.ErrnoException {
  const number = (constants.errno as Readonly<Record<string, number>>)[code];
  const where = to === undefined ? '' : ` ${to.host}:${to.port}`;
  return Object.assign(new Error(`${syscall} ${code}${where}`), {
    ...(number === undefined ? {} : { errno: -number }),
    code,
    syscall,
    ...(to === undefined ? {} : { address: to.host, port: to.port }),
  });
}
