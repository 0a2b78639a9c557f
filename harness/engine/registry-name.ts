/** Docker Hub as the engines name it, and the key under which Docker's client keeps its credentials. */
const HUB = 'docker.io';
const HUB_KEY = 'https://index.docker.io/v1/';
/** Other names of it in files that clients have written over the years. */
const HUB_NAMES: readonly string[] = [HUB, 'index.docker.io', 'registry-1.docker.io'];

/** Where an image comes from, in the parts that credentials are looked up by. */
export interface RegistryName {
  /** Host, with its port where one is named: `docker.io`, `registry.example:5000`. */
  readonly registry: string;
  /** What Docker's client calls it: the registry, for Docker Hub the address of its old index. */
  readonly dockerKey: string;
  /** From the repository itself up to the registry, the order in which Podman's client looks. */
  readonly namespaces: readonly string[];
}

/** The registry of a reference. The first part of a name is a host when it has a dot or a port, or is `localhost`. */
export function registryOf(reference: string): RegistryName {
  const name = reference.replace(/@.*$/, '').replace(/:[^:/]*$/, '');
  const [first = '', ...rest] = name.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const registry = hasHost ? canonical(first) : HUB;
  const path = hasHost ? rest : rest.length > 0 ? [first, ...rest] : ['library', first];
  const namespaces = path.map((_, index) => [registry, ...path.slice(0, path.length - index)].join('/'));
  return { registry, dockerKey: registry === HUB ? HUB_KEY : registry, namespaces: [...namespaces, registry] };
}

/** `https://registry.example/v1/` and `registry.example` are one key; so are all names of Docker Hub. */
export function hostOfKey(key: string): string {
  const bare = key.replace(/^https?:\/\//, '');
  return canonical(bare.split('/')[0] ?? bare);
}

function canonical(host: string): string {
  return HUB_NAMES.includes(host) ? HUB : host;
}
