import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { AdmissionGate } from './admission-gate.ts';
import { CleanUp } from './clean-up.ts';
import { systemClock } from './clock.ts';
import { ConfigCache } from './config-cache.ts';
import { declaredFaults, stuckStartUp } from './declared-faults.ts';
import type { Handler } from './exchange.ts';
import type { TransportOptions } from './http-transport.ts';
import { HttpTransport } from './http-transport.ts';
import { consoleLog } from './log.ts';
import { sessionAddress } from './registry-messages.ts';
import { remoteConfig } from './remote-config.ts';
import type { Registry } from './registry-session.ts';
import { RegistrySession } from './registry-session.ts';
import type { Runtime } from './run-until-shutdown.ts';
import { serveRequest } from './service.ts';
import type { StartUpPhase } from './start-up.ts';
import type { Settings } from './settings.ts';
import { readSettings } from './settings.ts';
import type { ShutdownWatcher } from './signal-watcher.ts';

/** Makes the transport; for images that differ from the reference in theirs. */
export type TransportFactory = (port: number, handler: Handler, options: TransportOptions) => Runtime['transport'];

const pem = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

const ownAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find((address) => !address.internal)?.address ?? '127.0.0.1';

/** The session with the controller that the settings name. */
export const registryOf = ({ portalUrl, port, startOnRegistryFailure }: Settings): Registry | undefined => {
  if (portalUrl === undefined) return undefined;
  return new RegistrySession({
    identity: { serviceId: 'lf-qualify-reference', version: '1.0.0', protocol: 'http', address: ownAddress(), port },
    clock: systemClock,
    log: consoleLog,
    needed: !startOnRegistryFailure,
    connect: () => new WebSocket(sessionAddress(portalUrl)),
  });
};

const beforeBinding = ({ configServer, configCache }: Settings): readonly StartUpPhase[] => [
  ...stuckStartUp(process.env, systemClock),
  ...(configServer === undefined ? [] : [remoteConfig(configServer, new ConfigCache(configCache), consoleLog)]),
];

/** The parts of the reference service, put together as in production. */
export const createRuntime = (
  watcher: ShutdownWatcher,
  transport: TransportFactory = (...parts) => new HttpTransport(...parts),
): Runtime => {
  const settings = readSettings(process.env);
  const { graceMs, port, httpsPort } = settings;
  const https =
    httpsPort === undefined ? {} : { https: { port: httpsPort, cert: pem('tls-cert.pem'), key: pem('tls-key.pem') } };
  const registry = registryOf(settings);
  const cleanUp = new CleanUp();
  for (const participant of declaredFaults(process.env, systemClock)) cleanUp.register(participant);
  return {
    watcher,
    gate: new AdmissionGate(),
    before: beforeBinding(settings),
    transport: transport(port, serveRequest, https),
    ...(registry ? { registry } : {}),
    cleanUp,
    graceMs,
    clock: systemClock,
    log: consoleLog,
    exit: (status) => process.exit(status),
  };
};
