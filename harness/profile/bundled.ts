import type { PresetName } from '../model/clause.ts';
import type { ReadySpec } from '../model/target.ts';

/** What is known of a service by its image name alone. Absent: the service has no such thing or it has no fixed default. */
export interface BundledProfile {
  readonly service: string;
  readonly preset: PresetName;
  readonly port?: number;
  readonly ready?: ReadySpec;
  readonly graceMs?: number;
}

interface Row {
  readonly port?: number;
  /** Path of readiness; absent with a port: a connect (light-gateway has TLS on and plain HTTP off by default). */
  readonly path?: string;
  readonly graceMs?: number;
}

/** The images `networknt/<service>` under the light-fabric contract, with the defaults of their sources (August 2026). */
const services: Readonly<Record<string, Row>> = {
  'light-gateway': { port: 8443, graceMs: 2000 },
  'light-agent': { port: 8081, path: '/health', graceMs: 2000 },
  'light-knowledge': { port: 8092, path: '/ready', graceMs: 5000 },
  'light-knowledge-admin': { port: 8093, path: '/ready', graceMs: 5000 },
  'light-deployer': { port: 7088, path: '/ready', graceMs: 2000 },
  // Ready by a log line whose text is not known: the profile must say it.
  'light-workflow': { graceMs: 2000 },
  'light-workflow-runner': { port: 9444, path: '/readyz' },
  'light-agent-channel': {},
  'light-github-action-provider': {},
  'light-knowledge-worker': { graceMs: 2000 },
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
  const { port, path, graceMs } = services[service] ?? {};
  const origin = `bundled profile ${service}`;
  const tcp = port === undefined ? undefined : ({ kind: 'tcp', port, origin } as const);
  const ready = port !== undefined && path !== undefined ? ({ kind: 'http', port, path, origin } as const) : tcp;
  return {
    service,
    preset: 'light-fabric',
    // The port carries plain HTTP only where a path is known.
    ...(port !== undefined && path !== undefined && { port }),
    ...(ready !== undefined && { ready }),
    ...(graceMs !== undefined && { graceMs }),
  };
}
