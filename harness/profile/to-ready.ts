import type { ReadySpec } from '../model/target.ts';
import type { KeyPath } from './profile-document.ts';
import type { Reading } from './reading.ts';
import type { ImageKeys } from './schema.ts';

/** The ports that a check without one of its own asks. */
interface Ports {
  readonly plain?: number | undefined;
  readonly tls?: number | undefined;
}

/** A check without a port of its own asks `port`, over TLS `tls.port`; where only TLS is declared it goes over that. */
export function readyOf(
  written: ImageKeys['ready'],
  ports: Ports,
  at: KeyPath,
  { source: { origin }, tell }: Reading,
): ReadySpec | undefined {
  const { http, tcp, greeting, log, health } = written ?? {};
  if (greeting !== undefined) return { kind: 'tcp', port: greeting, greets: true, origin };
  if (tcp !== undefined) return { kind: 'tcp', port: tcp, origin };
  if (log !== undefined) return { kind: 'log', pattern: log, origin };
  if (health !== undefined) return { kind: 'health', origin };
  if (http === undefined) return undefined;
  const check: { port?: number | undefined; path: string; tls?: boolean | undefined } =
    typeof http === 'string' ? { path: http } : http;
  const overTls = check.tls ?? (check.port ?? ports.plain ?? ports.tls) === ports.tls;
  const port = check.port ?? (overTls ? ports.tls : ports.plain);
  if (port !== undefined) {
    const way = overTls ? { tls: true as const } : {};
    return { kind: 'http', port, path: check.path, origin, ...way };
  }
  const own = 'write ready: { http: { port: 8080, path: /health } }';
  const inDependency = at.includes('dependencies');
  tell(
    [...at, 'http'],
    check.tls === true && !inDependency
      ? 'expected a TLS port to ask, found none; add tls: { port: 8443 }'
      : `expected a port to ask, found none; ${inDependency ? own : `add port: 8080, or ${own}`}`,
  );
  return undefined;
}
