import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { EngineFacts } from '../model/engine.ts';

/**
 * Where probes come from, and why: `direct` only where a lookup proves the address on-link (architecture rule 10), else
 * from a sidecar in the target's network namespace; `none` where there is neither.
 */
export interface VantageChoice {
  readonly vantage: Vantage | 'none';
  readonly why: string;
}

/** What `--vantage` takes. */
export type Vantage = 'direct' | 'sidecar';
export const vantages: readonly Vantage[] = ['direct', 'sidecar'];

/** What an engine allows for all of its containers. Whether it really is direct, the route of each address decides. */
export function engineVantage(engine: EngineFacts): { readonly vantage: Vantage; readonly why: string } {
  const sidecar = (why: string) => ({ vantage: 'sidecar', why }) as const;
  if (!engine.local) return sidecar('the engine is not on this host');
  if (engine.rootless) return sidecar('the address of a rootless container is not on this host’s links');
  return { vantage: 'direct', why: 'the engine is local and rootful' };
}

/**
 * Decide by lookup, never by trying the address: direct needs a local rootful engine and a route on-link over a bridge
 * of this host; anything else would send packets to an address that may be somebody else's (engines.md, first fact).
 * `wanted` is `--vantage`; a direct one that is not proven is none, with the reason.
 */
export async function chooseVantage(
  engine: EngineFacts,
  address: string | undefined,
  wanted?: Vantage,
): Promise<VantageChoice> {
  if (wanted === 'sidecar') return { vantage: 'sidecar', why: '--vantage' };
  const unproven = await whyNotDirect(engine, address);
  if ('device' in unproven) return { vantage: 'direct', why: `${address} is on-link on bridge ${unproven.device}` };
  return wanted === 'direct'
    ? { vantage: 'none', why: `--vantage direct, but ${unproven.why}` }
    : { vantage: 'sidecar', ...unproven };
}

async function whyNotDirect(
  engine: EngineFacts,
  address: string | undefined,
): Promise<{ readonly why: string } | { readonly device: string }> {
  if (address === undefined || address === '') return { why: 'the container has no address' };
  const { vantage, why } = engineVantage(engine);
  if (vantage === 'sidecar') return { why };
  const device = await bridgeTo(address);
  return device === undefined ? { why: `no route on-link over a bridge leads to ${address}` } : { device };
}

async function bridgeTo(address: string): Promise<string | undefined> {
  const route = routeTo(address, await readFile('/proc/net/route', 'utf8').catch(() => ''));
  return route?.onLink && existsSync(`/sys/class/net/${route.device}/bridge`) ? route.device : undefined;
}

/** The most specific route of an IPv4 address in the text of /proc/net/route, the default route excepted. */
export function routeTo(
  address: string,
  table: string,
): { readonly device: string; readonly onLink: boolean } | undefined {
  const target = toNumber(address);
  if (target === undefined) return undefined;
  const routes = table
    .split('\n')
    .slice(1)
    .flatMap((row) => {
      const [device, destination, gateway, , , , , mask] = row.split('\t');
      if (device === undefined || destination === undefined || gateway === undefined || mask === undefined) return [];
      return [{ device, destination: fromHex(destination), onLink: fromHex(gateway) === 0, mask: fromHex(mask) }];
    });
  const matching = routes.filter((route) => (target & route.mask) >>> 0 === route.destination && route.mask !== 0);
  const [best] = matching.toSorted((a, b) => b.mask - a.mask);
  return best && { device: best.device, onLink: best.onLink };
}

/** An IPv4 address as an unsigned number; undefined for anything else. */
function toNumber(address: string): number | undefined {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((value, part) => value * 256 + part, 0);
}

/** /proc/net/route writes addresses in the host's byte order (little endian). */
function fromHex(hex: string): number {
  const bytes = hex.match(/../g)?.toReversed().join('') ?? '0';
  return Number.parseInt(bytes, 16) >>> 0;
}
