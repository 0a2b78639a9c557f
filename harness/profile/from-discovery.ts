import { roleOf } from '../contract/evidence/process-tree.ts';
import type { Assumption, Discovery, FoundPort } from '../model/discovery.ts';
import type { ImageFacts } from '../model/engine.ts';
import type { ProcessFact } from '../model/observation.ts';
import type { Profile } from '../model/profile.ts';
import { topSection } from './image-section.ts';
import { commandLineOf } from './known-servers/command-line.ts';
import { findServer, serverByName } from './known-servers/index.ts';
import { profileFile } from './profile-source.ts';
import { profileSchema } from './schema.ts';
import { toProfile } from './to-profile.ts';

/** Paths that tell readiness, what says so by its name first. */
const READINESS: readonly string[] = [
  ...['/readyz', '/ready', '/-/ready', '/health/ready', '/actuator/health/readiness'],
  ...['/actuator/health', '/health', '/healthz', '/-/healthy', '/status'],
];
/** Paths that tell no more than that the process lives, where another one tells readiness. */
const LIVENESS: readonly string[] = [
  ...['/livez', '/live', '/health/live', '/actuator/health/liveness', '/-/healthy', '/healthz'],
];

/**
 * What a run goes by of which nobody declared anything, each as the key of a profile that would say it, with where it comes
 * from. Nothing is assumed of a container that ended by itself. Without anything that tells readiness none is assumed: what
 * the image exposes is asked then, else a time of life counts.
 */
export function assumptionsOf(discovery: Discovery, facts: ImageFacts): readonly Assumption[] {
  if (discovery.ended !== undefined) return [];
  const reachable = discovery.ports.filter(({ listening }) => listening === 'reachable');
  const plain = reachable.filter(({ speaks }) => speaks === 'http');
  const [http] = plain;
  const https = reachable.find(({ speaks }) => speaks === 'https');
  const asked = http ?? https;
  return [
    ...(http === undefined ? [] : [{ key: 'port', value: http.port, why: `${chosenAs(http, plain)}: ${http.told}` }]),
    ...(https === undefined ? [] : [tlsOf(https)]),
    ...bareOf(reachable.filter(({ speaks }) => speaks === 'tcp' || speaks === 'tls' || speaks === 'h2c')),
    ...readyOf(asked, reachable, facts),
    ...routesOf(asked),
    ...serverOf(discovery),
  ];
}

/** Why this one of the ports that answer HTTP, which come in the order of preference. */
function chosenAs(port: FoundPort, all: readonly FoundPort[]): string {
  const others = all.filter((other) => other !== port);
  if (others.length === 0) return 'the only port that answers HTTP';
  const rivals = others.filter(({ exposed }) => exposed === port.exposed);
  const exposed = port.exposed && rivals.length < others.length ? 'exposed ' : '';
  const place = rivals.length === 0 ? '' : rivals.every((other) => other.port > port.port) ? 'lowest ' : 'first ';
  return `the ${place}${exposed}port that answers HTTP, of ${all.map((one) => one.port).join(', ')}`;
}

function tlsOf({ port, http2, told }: FoundPort): Assumption {
  const value = http2 === true ? { port, http2 } : { port };
  return { key: 'tls', value, why: `${told}; its certificate is not verified` };
}

function bareOf(ports: readonly FoundPort[]): readonly Assumption[] {
  if (ports.length === 0) return [];
  const why = ports.map(({ port, told }) => (ports.length === 1 ? told : `${port} ${told}`)).join('; ');
  return [{ key: 'tcp', value: ports.map(({ port }) => port), why }];
}

function readyOf(asked: FoundPort | undefined, reachable: readonly FoundPort[], facts: ImageFacts): Assumption[] {
  const path = asked && readinessPath(asked);
  const status = path === undefined ? undefined : asked?.answers?.[path];
  if (path !== undefined && status !== undefined) {
    const why = `GET ${path} answered ${status}${path === '/' ? ', and no path that is named after readiness did' : ''}`;
    return [{ key: 'ready', value: { http: path }, why }];
  }
  const port = asked ?? reachable.find(({ speaks }) => speaks !== undefined);
  if (port !== undefined) {
    const why = asked === undefined ? 'it speaks no HTTP' : 'no path that was asked answered below 400';
    // it may listen long before it serves: a database does
    if (port.greets) return [{ key: 'ready', value: { greeting: port.port }, why: `it speaks first: ${port.told}` }];
    return [{ key: 'ready', value: { tcp: port.port }, why: `a connect is all that can be asked: ${why}` }];
  }
  if (!facts.hasHealthcheck) return [];
  return [{ key: 'ready', value: { health: true }, why: 'no port was found, and the image has a HEALTHCHECK' }];
}

const isGood = (port: FoundPort, path: string): boolean => (port.answers?.[path] ?? 599) < 400;

function readinessPath(port: FoundPort): string | undefined {
  return [...READINESS, '/'].find((path) => isGood(port, path));
}

function routesOf(port: FoundPort | undefined): Assumption[] {
  if (port === undefined) return [];
  const { webSockets = [] } = port;
  const ready = readinessPath(port);
  const alive = LIVENESS.find((path) => isGood(port, path) && path !== ready);
  const sockets =
    webSockets.length === 0
      ? []
      : [{ key: 'endpoints.websocket', value: webSockets, why: 'an upgrade to a WebSocket was answered with 101' }];
  // a path of a general name tells liveness only beside one that tells readiness by its name
  if (alive === undefined || !/read(?:y|iness)/.test(ready ?? '')) return sockets;
  const why = `it answered ${port.answers?.[alive]} beside ${ready}`;
  return [...sockets, { key: 'endpoints.liveness', value: [`GET ${alive}`], why }];
}

function serverOf({ server: name, processes }: Discovery): Assumption[] {
  const found = findServer(processes);
  const server = name === undefined ? found?.server : serverByName(name);
  if (server === undefined) return [];
  const process = found?.server === server ? found.process : undefined;
  const { program, script = '' } = process === undefined ? { program: '' } : commandLineOf(process);
  const why = process && `PID ${process.nsPid} runs ${`${program} ${script}`.trim()}`;
  const { documentation } = server;
  const accepts = process !== undefined && isHidden(process, processes) ? [] : (server.accepts ?? []);
  const accepted = accepts.map(({ status }) => status).join(', ');
  return [
    { key: 'server', value: server.name, why: why ?? 'its processes tell' },
    ...(accepts.length === 0
      ? []
      : [
          {
            key: 'accept',
            value: accepts,
            why: `${server.title} may end a right stop with ${accepted} (${documentation})`,
          },
        ]),
  ];
}

/**
 * Whether an init waits for a shell or launcher and not for the server: that dies of the signal itself, with the status that
 * the server may have. As PID 1 it could not, the kernel drops what PID 1 has no handler for.
 */
function isHidden(server: ProcessFact, processes: readonly ProcessFact[]): boolean {
  const above = (process: ProcessFact): readonly ProcessFact[] => {
    const parent = processes.find(({ pid }) => pid === process.ppid);
    return parent === undefined || parent.nsPid === 1 || parent === process ? [] : [parent, ...above(parent)];
  };
  return above(server).some((process) => roleOf(process) === 'shell' || roleOf(process) === 'launcher');
}

/**
 * The assumptions as the profile that they are, by the same schema and the same conversion as a file: one that is written
 * out of them says the same. Its values come from `discovery`. Throws Error where one has no such form: a fault of ours.
 */
export function profileOfAssumptions(assumptions: readonly Assumption[]): Profile {
  const origins = new Map<string, string>();
  const said: Record<string, unknown> = { version: 1 };
  for (const { key, value, why } of assumptions) {
    const [top = key, inner] = key.split('.');
    said[top] = inner === undefined ? value : { ...(said[top] as object | undefined), [inner]: value };
    const before = origins.get(top);
    origins.set(top, before === undefined ? why : `${before}; ${why}`);
  }
  const about = origins.size === 0 ? {} : { about: { origins: Object.fromEntries(origins) } };
  const file = profileSchema.parse({ ...said, ...about });
  const tell = (path: readonly PropertyKey[], message: string): never => {
    throw new Error(`discovery: ${path.join('.')}: ${message}`);
  };
  const source = { ...profileFile('', {}, 'discovery'), name: 'discovery', path: '' };
  return toProfile(topSection(file, tell), { source, engines: undefined, clauses: undefined, tell });
}
