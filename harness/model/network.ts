/** An address as it stands in a URL. */
export function hostInUrl(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

/** An error in a few words: its code where it has one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as Error & { readonly code?: string };
  return code === undefined ? error.message : `${code} (${error.message})`;
}
