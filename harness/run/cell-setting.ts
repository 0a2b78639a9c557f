import { withGrace } from '../contract/terms.ts';
import { undeclaredWebSocket } from '../load/web-sockets-declared.ts';
import type { Capability, JudgementBasis } from '../model/clause.ts';
import type { CellValues } from '../model/plan.ts';
import type { BootstrapBehaviour, ControllerBehaviour, Load, Scenario, Setting } from '../model/scenario.ts';
import type { FaultName, Target } from '../model/target.ts';
import type { WebSocketKind } from '../model/websocket.ts';
import { resolveColumns } from './expression.ts';

/** Something a cell cannot do without and does not have, and the line that declares it. */
export interface Missing {
  readonly capability: Capability;
  readonly reason: string;
  readonly declare: string;
}

/** How the container of one cell differs from the image's normal run. */
export interface CellSetting {
  /** The basis that this cell is judged by: another grace changes its terms. */
  readonly basis: JudgementBasis;
  /** What is set on top of the target's environment; without the controller's URL, which is known only once it listens. */
  readonly env: Readonly<Record<string, string>>;
  readonly init: boolean;
  readonly controller?: ControllerBehaviour;
  readonly bootstrap?: BootstrapBehaviour;
}

/** The declared profile key of each fault. */
const FAULT_KEY: Readonly<Record<FaultName, string>> = {
  'slow-clean-up': 'slowCleanUp',
  'stuck-clean-up': 'stuckCleanUp',
  'stuck-thread': 'stuckThread',
  'stuck-start-up': 'stuckStartUp',
  'bad-configuration': 'badConfiguration',
};

/** The setting of one cell, or what is missing for it: known from the profile alone, before anything runs. */
export function cellSetting(
  scenario: Scenario,
  values: CellValues,
  target: Target,
  basis: JudgementBasis,
): CellSetting | { readonly missing: Missing } {
  const setting = resolveColumns(scenario.setting ?? {}, values);
  const needed = (scenario.needs ?? []).flatMap((need) => missingNeed(need, target) ?? [])[0];
  if (needed) return { missing: needed };
  const half = resolveColumns(scenario.load ?? [], values).some(
    (load) => load.shape === 'stalled' && load.kind === 'half-tls-handshake',
  );
  const withoutTls = half ? missingNeed('tls', target) : undefined;
  if (withoutTls) return { missing: withoutTls };
  const unplayed = playedNeeds(setting).flatMap((need) => missingNeed(need, target) ?? [])[0];
  if (unplayed) return { missing: unplayed };
  const unspoken = unspokenSockets(resolveColumns(scenario.load ?? [], values), target);
  if (unspoken) return { missing: unspoken };
  const grace = graceSetting(setting.grace, target, basis);
  if ('missing' in grace) return grace;
  const fault = setting.fault as FaultName | undefined;
  const faultEnv = fault === undefined ? {} : target.faults[fault];
  if (fault !== undefined && faultEnv === undefined) {
    const declare = `faults: { ${FAULT_KEY[fault]}: { ENV_NAME: value } }`;
    return { missing: { capability: 'fault', reason: `no fault ${fault} is declared`, declare } };
  }
  return {
    basis: grace.basis,
    env: { ...grace.env, ...faultEnv },
    init: setting.init === true,
    ...(setting.controller === undefined ? {} : { controller: setting.controller }),
    ...(setting.bootstrap === undefined ? {} : { bootstrap: setting.bootstrap }),
  };
}

/**
 * What must be declared for the peers that a setting plays. A controller that takes registrations may also go without a
 * service that registers; one that holds or refuses them says nothing then.
 */
function playedNeeds({ controller, bootstrap }: Setting): readonly Capability[] {
  const holds = controller !== undefined && controller.kind !== 'acknowledges' && controller.kind !== 'silent';
  return [...(bootstrap === undefined ? [] : ['bootstrap' as const]), ...(holds ? ['registry' as const] : [])];
}

/** What must be declared for WebSockets, where no other load leaves clauses something to speak about. */
function unspokenSockets(loads: readonly Load[], { endpoints }: Target): Missing | undefined {
  const lacks = loads.map((load) =>
    load.shape === 'web-sockets' ? undeclaredWebSocket(load.kind as WebSocketKind, endpoints) : undefined,
  );
  return lacks.every((missing) => missing !== undefined) ? lacks[0] : undefined;
}

function graceSetting(
  grace: string | undefined,
  target: Target,
  basis: JudgementBasis,
): { readonly basis: JudgementBasis; readonly env: Readonly<Record<string, string>> } | { readonly missing: Missing } {
  if (grace === undefined || grace === 'normal') return { basis, env: {} };
  const graceMs = Number(grace);
  const { graceEnv } = target;
  const capability = 'grace env';
  if (graceEnv === undefined) {
    const reason = `no environment variable is declared that sets a grace of ${graceMs} ms`;
    return { missing: { capability, reason, declare: 'graceEnv: NAME' } };
  }
  if (graceEnv.unit === 's' && graceMs % 1000 !== 0) {
    const reason = `${graceEnv.name} counts in seconds: a grace of ${graceMs} ms cannot be set`;
    return { missing: { capability, reason, declare: 'graceEnv: { name: NAME, unit: ms }' } };
  }
  const value = String(graceEnv.unit === 's' ? graceMs / 1000 : graceMs);
  return { basis: withGrace(basis, graceMs), env: { [graceEnv.name]: value } };
}

/** The port over which bare TCP is tried: the first one. */
export function tcpPort(target: Target): number | undefined {
  return target.tcpPorts?.[0];
}

/** Why there is no HTTP: what it speaks instead, as far as was found or declared. */
function withoutHttp({ tcpPorts = [] }: Target): string {
  const [first, ...more] = tcpPorts;
  if (first === undefined) return 'no HTTP port is known: nothing is declared, labelled or exposed';
  const which =
    more.length === 0 ? `${first} takes connections and speaks` : `${tcpPorts.join(', ')} take connections and speak`;
  return `it speaks no HTTP as far as was found or declared: ${which} neither HTTP nor TLS`;
}

const STREAM = "endpoints: { stream: ['GET /path'] }";

/** What of a capability the profile lacks. What only a running container can tell is found out there. */
export function missingNeed(capability: Capability, target: Target): Missing | undefined {
  const lacking = (reason: string, declare: string): Missing => ({ capability, reason, declare });
  const { endpoints } = target;
  switch (capability) {
    case 'http':
      if (target.httpPort !== undefined || target.tls !== undefined) return undefined;
      return lacking(withoutHttp(target), 'port: 8080   # or --port 8080');
    case 'tcp':
      if (tcpPort(target) !== undefined) return undefined;
      return lacking('no port is known that speaks neither HTTP nor TLS', 'tcp: [5432]');
    case 'tls':
      return target.tls ? undefined : lacking('no TLS port is declared', 'tls: { port: 8443 }');
    case 'http2':
      if (target.tls !== undefined && target.tls.http2 !== false) return undefined;
      return lacking('no port that speaks HTTP/2 is declared', 'tls: { port: 8443, http2: true }');
    case 'registry':
      if (target.registry !== undefined) return undefined;
      return lacking('no setting is declared that makes it register with a controller', 'registry: { urlEnv: NAME }');
    case 'bootstrap':
      if (target.bootstrap !== undefined) return undefined;
      return lacking('no setting is declared that makes it start from a config server', 'bootstrap: { urlEnv: NAME }');
    case 'websocket':
      if (endpoints.webSocket !== undefined) return undefined;
      return lacking('no route is declared that takes a WebSocket', 'endpoints: { websocket: [/ws] }');
    case 'grace env':
      if (target.graceEnv !== undefined) return undefined;
      return lacking('no environment variable is declared that sets the grace', 'graceEnv: NAME');
    case 'stream':
      if (endpoints.stream.length + endpoints.sse.length > 0) return undefined;
      return lacking('no endpoint is declared that streams', STREAM);
    case 'control':
      if (endpoints.control.length > 0) return undefined;
      return lacking('no control route is declared', "endpoints: { control: ['GET /ready'] }");
    case 'liveness':
      if (endpoints.liveness !== undefined) return undefined;
      return lacking('no liveness route is declared', "endpoints: { liveness: ['GET /livez'] }");
    // told by the running container, or by the row's own setting
    case 'direct':
    case 'held work':
    case 'init':
    case 'fault':
      return undefined;
  }
}
