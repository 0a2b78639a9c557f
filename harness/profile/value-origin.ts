/** Who says a value, and where they have it from if the profile tells: `profile: measured in May`. */
export function originOf<T extends string>(
  key: string,
  said: T,
  origins: Readonly<Record<string, string>> | undefined,
): T | `${T}: ${string}` {
  const from = origins?.[key];
  return from === undefined ? said : `${said}: ${from}`;
}
