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
  waive: 'waivers',
};

/** What a profile says that says nothing. */
export const emptyProfile = {
  version: 1,
  path: '',
  env: {},
  secrets: [],
  endpoints: { slow: [], stream: [], sse: [], upload: [], control: [] },
  faults: {},
  patterns: {},
  require: [],
  waivers: [],
} as const satisfies Profile;

/**
 * A profile of the image's label, without the top-level keys that the profile file has: those the file overrules whole.
 * A check of the label that asks the label's own port asks the file's where the file names another.
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
  if (ready === undefined || ready.kind === 'log' || ready.kind === 'settled') return ready;
  const overTls = ready.kind === 'http' && ready.tls === true;
  const [own, other] = overTls ? [label.tls?.port, file?.tls?.port] : [label.port, file?.port];
  return other !== undefined && ready.port === own ? { ...ready, port: other } : ready;
}
