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
