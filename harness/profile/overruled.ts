import type { Profile } from '../model/profile.ts';

/** The fields of a profile by the key of the file that says them; the rest have the key's own name. */
const FIELDS: Readonly<Record<string, keyof Profile>> = {
  startTimeout: 'startTimeoutMs',
  grace: 'graceMs',
  outerTimeout: 'outerTimeoutMs',
  tolerance: 'toleranceMs',
  allowance: 'allowanceMs',
  accept: 'acceptedStatuses',
  logs: 'patterns',
  tcp: 'tcpPorts',
  waive: 'waivers',
};

/** What a profile says that says nothing. */
export const emptyProfile: Profile = {
  version: 1,
  path: '',
  env: {},
  files: [],
  volumes: [],
  dependencies: [],
  secrets: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  patterns: {},
  terms: {},
  require: [],
  waivers: [],
};

/**
 * A weaker profile, such as that of the image's label, without the top-level keys that a stronger one has: those are
 * overruled whole. A check that asks the weaker one's own port asks the stronger one's where that names another.
 */
export function overruledBy(label: Profile, file: Profile | undefined): Profile {
  const declared = file?.declared ?? [];
  const gone = new Set<string>(declared.filter((key) => key !== 'version').map((key) => FIELDS[key] ?? key));
  const left = Object.fromEntries(Object.entries(label).filter(([field]) => !gone.has(field)));
  const ready = gone.has('ready') ? undefined : moved(label, file);
  return { ...emptyProfile, path: label.path, ...left, ...(ready === undefined ? {} : { ready }) };
}

function moved(label: Profile, file: Profile | undefined): Profile['ready'] {
  const { ready } = label;
  if (ready?.kind !== 'http' && ready?.kind !== 'tcp') return ready;
  const overTls = ready.kind === 'http' && ready.tls === true;
  const [own, other] = overTls ? [label.tls?.port, file?.tls?.port] : [label.port, file?.port];
  return other !== undefined && ready.port === own ? { ...ready, port: other } : ready;
}
