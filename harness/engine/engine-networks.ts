import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type Docker from 'dockerode';
import type { Ownership } from './driver.ts';
import { OWNER_LABEL, RUN_LABEL } from './driver.ts';
import type { EngineConnection } from './engine-connection.ts';

/** The labels that say which run and process an object belongs to. */
export function ownershipLabels(ownership: Ownership): Record<string, string> {
  return { [RUN_LABEL]: ownership.run, [OWNER_LABEL]: ownership.owner };
}

/** Creates a bridge network and gives its id. Throws EngineError. */
export async function createNetwork(
  connection: EngineConnection,
  name: string,
  options: { internal: boolean; ownership: Ownership },
): Promise<string> {
  const client = await connection.client();
  const network = await connection.caller.run(`create network ${name}`, () =>
    client.createNetwork({
      Name: name,
      Driver: 'bridge',
      Internal: options.internal,
      CheckDuplicate: true,
      Labels: ownershipLabels(options.ownership),
    }),
  );
  return network.id;
}

/** Removes a network; fine when already gone. */
export async function removeNetwork(connection: EngineConnection, id: string): Promise<void> {
  const client = await connection.client();
  await connection.caller.runUnless([404], `remove network ${id}`, () => client.getNetwork(id).remove());
}

/** The IPv4 gateway of a network. Throws EngineError, also where there is no such network. */
export async function gatewayOf(connection: EngineConnection, network: string): Promise<string | undefined> {
  const client = await connection.client();
  const info = await connection.caller.run(`inspect network ${network}`, () => client.getNetwork(network).inspect());
  return gatewayIn(
    info,
    connection.endpoint === connection.address && connection.target.kind === 'unix' ? networkInterfaces() : {},
  );
}

/** What `os.networkInterfaces` tells, as far as it is read here. */
type Interfaces = Readonly<
  Record<string, readonly { readonly address: string; readonly family: string }[] | undefined>
>;

/**
 * The gateway that the engine lists. Docker 20.10 and Podman 4.3 list one for internal networks too; where none is
 * listed, the address of Docker's own bridge, which is named after the network's id.
 */
export function gatewayIn(
  network: Pick<Docker.NetworkInspectInfo, 'Id' | 'IPAM' | 'Options'>,
  interfaces: Interfaces,
): string | undefined {
  // Older Dockers write the prefix behind it.
  const listed = (network.IPAM?.Config ?? []).map(({ Gateway = '' }) => Gateway.replace(/\/\d+$/, ''));
  const bridge = network.Options?.['com.docker.network.bridge.name'] ?? `br-${network.Id.slice(0, 12)}`;
  const own = (interfaces[bridge] ?? []).map(({ address }) => address);
  return [...listed, ...own].find((address) => isIPv4(address));
}
