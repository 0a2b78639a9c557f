import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { EnginePlace } from './engine-place.ts';

/** One connection of Podman's, as both of its files have it. */
interface Connection {
  readonly uri?: string;
  readonly identity?: string;
}

interface Connections {
  readonly byName: ReadonlyMap<string, Connection>;
  readonly standard?: string;
}

/**
 * Podman's named connections: the one of CONTAINER_CONNECTION is chosen; else the standard one is looked at last, since
 * Podman uses it only where it has no engine of its own. CONTAINER_HOST beats both.
 */
export async function podmanConnections(env: NodeJS.ProcessEnv): Promise<readonly EnginePlace[]> {
  if (env['CONTAINER_HOST']) return [];
  const { byName, standard, files } = await readConnections(env);
  const wanted = env['CONTAINER_CONNECTION'];
  const name = wanted || standard;
  if (name === undefined) return [];
  const origin = `podman connection ${name}`;
  const connection = byName.get(name);
  if (connection?.uri === undefined) {
    if (!wanted) return [];
    const failure = `CONTAINER_CONNECTION names it, but it is in none of ${files.join(', ')}: see \`podman system connection list\``;
    return [{ engine: 'podman', address: `connection ${name}`, origin, chosen: true, failure }];
  }
  const { uri, identity } = connection;
  const access = async () => (identity === undefined ? {} : { identityFile: identity });
  return [{ engine: 'podman', address: uri, origin, access, ...(wanted ? { chosen: true } : {}) }];
}

async function readConnections(env: NodeJS.ProcessEnv): Promise<Connections & { readonly files: readonly string[] }> {
  const folder = join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'containers');
  const files = [join(folder, 'podman-connections.json'), env['CONTAINERS_CONF'] || join(folder, 'containers.conf')];
  const [json = '', toml = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const [newer, older] = [fromJson(json), fromToml(toml)];
  const standard = newer.standard ?? older.standard;
  return {
    byName: new Map([...older.byName, ...newer.byName]),
    ...(standard === undefined ? {} : { standard }),
    files,
  };
}

/** `podman-connections.json`, Podman 5 and later. */
function fromJson(content: string): Connections {
  try {
    const { Connection } = JSON.parse(content) as {
      Connection?: { Default?: string; Connections?: Record<string, { URI?: string; Identity?: string }> };
    };
    const byName = Object.entries(Connection?.Connections ?? {}).map(
      ([name, { URI, Identity }]) => [name, connectionOf(URI, Identity)] as const,
    );
    return { byName: new Map(byName), ...(Connection?.Default ? { standard: Connection.Default } : {}) };
  } catch {
    return { byName: new Map() };
  }
}

/** The lines of `containers.conf` that Podman before 5 wrote itself: no more of TOML than these. */
function fromToml(content: string): Connections {
  const byName = new Map<string, Connection>();
  let section = '';
  let standard: string | undefined;
  for (const line of content.split('\n')) {
    section = /^\s*\[+([^\]]+)\]+\s*$/.exec(line)?.[1]?.trim() ?? section;
    const [, key, value] = /^\s*(\w+)\s*=\s*["']([^"']*)["']\s*(?:#.*)?$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    if (section === 'engine' && key === 'active_service') standard = value;
    const name = /^engine\.service_destinations\.["']?([^"']+)["']?$/.exec(section)?.[1];
    if (name !== undefined && (key === 'uri' || key === 'identity'))
      byName.set(name, { ...byName.get(name), [key]: value });
  }
  return { byName, ...(standard === undefined ? {} : { standard }) };
}

function connectionOf(uri: string | undefined, identity: string | undefined): Connection {
  return { ...(uri ? { uri } : {}), ...(identity ? { identity } : {}) };
}
