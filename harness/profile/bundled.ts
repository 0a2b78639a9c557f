import type { PresetName } from '../model/clause.ts';
import type { GraceEnv, ReadySpec, TlsAccess } from '../model/target.ts';

/** What is known of a service by its image name alone. Absent: the service has no such thing or it has no fixed default. */
export interface BundledProfile {
  readonly service: string;
  readonly preset: PresetName;
  readonly port?: number;
  readonly ready?: ReadySpec;
  readonly graceMs?: number;
  readonly graceEnv?: GraceEnv;
  readonly tls?: TlsAccess;
}

interface Row {
  /** The port that carries plain HTTP by default. */
  readonly port?: number;
  /** The port that carries TLS, where it is on and plain HTTP is off by default. */
  readonly tlsPort?: number;
  /** Path of readiness. */
  readonly path?: string;
  readonly graceMs?: number;
  /** The grace is the setting `server.shutdownGracefulPeriod`, ms. */
  readonly settable?: true;
}

/** How any light-fabric service is given `server.shutdownGracefulPeriod` from outside. */
const GRACE_ENV: GraceEnv = { name: 'SERVER_SHUTDOWNGRACEFULPERIOD', unit: 'ms' };

/** The images `networknt/<service>` under the light-fabric contract, with the defaults of their sources (August 2026). */
const services: Readonly<Record<string, Row>> = {
  'light-gateway': { tlsPort: 8443, path: '/health', graceMs: 2000, settable: true },
  'light-agent': { port: 8081, path: '/health', graceMs: 2000, settable: true },
  'light-knowledge': { port: 8092, path: '/ready', graceMs: 5000, settable: true },
  'light-knowledge-admin': { port: 8093, path: '/ready', graceMs: 5000, settable: true },
  'light-deployer': { port: 7088, path: '/ready', graceMs: 2000, settable: true },
  // Ready by a log line whose text is not known: the profile must say it.
  'light-workflow': { graceMs: 2000, settable: true },
  // Its grace is a setting of its own, whose default is not known.
  'light-workflow-runner': { port: 9444, path: '/readyz' },
  'light-agent-channel': {},
  'light-github-action-provider': {},
  'light-knowledge-worker': { graceMs: 2000, settable: true },
  // Its grace is fixed.
  'llm-provider-mock': { port: 8080, path: '/health', graceMs: 2000 },
  'controller-rs': {},
  'portal-service': {},
  'config-server': {},
  'light-oauth': {},
};

/** `registry:5000/networknt/light-agent:1.2@sha256:…` without registry, tag and digest: `networknt/light-agent`. */
function repository(imageName: string): string {
  return imageName
    .replace(/@.*$/, '')
    .replace(/:[^:/]*$/, '')
    .split('/')
    .slice(-2)
    .join('/');
}

/** The bundled profile whose image name matches, or undefined. light-agent-worker is not under the contract. */
export function bundledPreset(imageName: string): BundledProfile | undefined {
  const [owner, service = ''] = repository(imageName).split('/');
  if (owner !== 'networknt' || !Object.hasOwn(services, service)) return undefined;
  const { port, tlsPort, path, graceMs, settable } = services[service] ?? {};
  const asked = tlsPort ?? port;
  const origin = `bundled profile ${service}`;
  const ready: ReadySpec | undefined =
    asked === undefined || path === undefined
      ? undefined
      : { kind: 'http', port: asked, path, origin, ...(tlsPort === undefined ? {} : { tls: true }) };
  return {
    service,
    preset: 'light-fabric',
    ...(port !== undefined && { port }),
    ...(tlsPort !== undefined && { tls: { port: tlsPort } }),
    ...(ready !== undefined && { ready }),
    ...(graceMs !== undefined && { graceMs }),
    ...(settable !== undefined && { graceEnv: GRACE_ENV }),
  };
}
