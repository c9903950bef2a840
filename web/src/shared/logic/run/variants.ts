// SPDX-License-Identifier: Apache-2.0
/** What a variant brings, chain by chain, as one chart shows it. */

export interface VariantChain {
  chain: string;
  off: string;
  on: string;
  cppOff: number | null;
  cppOn: number | null;
  ppsOff: number | null;
  ppsOn: number | null;
  /** CPP on / off, and its interval. */
  ratio: number | null;
  low: number | null;
  high: number | null;
}

export interface VariantShown {
  name: string;
  tuning: string | null;
  chains: VariantChain[];
  reach: readonly string[];
  harms: readonly string[];
}

/** "faster in 3 of 4 chains, slower in 1" */
export function reachText({ chains, reach, harms }: VariantShown): string {
  const of = `${reach.length} of ${chains.length} ${chains.length === 1 ? "chain" : "chains"}`;
  return `faster in ${of}${harms.length > 0 ? `, slower in ${harms.length}` : ""}`;
}

/** What the variant does to one chain, as far as the interval tells. */
export function effectWord(
  variant: VariantShown,
  { chain, off }: VariantChain,
): "faster" | "slower" | "no effect" {
  const named = (names: readonly string[]): boolean => names.includes(chain) || names.includes(off);
  if (named(variant.reach)) return "faster";
  return named(variant.harms) ? "slower" : "no effect";
}
