// SPDX-License-Identifier: Apache-2.0
/** Unit types: a number that says what it counts, so that cycles are not added to instructions by mistake. */
declare const unit: unique symbol;
type Unit<Name extends string> = number & { readonly [unit]: Name };

/** TSC cycles per packet that left or was dropped by policy. */
export type CyclesPerPacket = Unit<"cycles/packet">;
/** head / base; 1 is no change. */
export type Ratio = Unit<"head/base">;
/** Natural logarithm of a ratio; 0 is no change. */
export type LogRatio = Unit<"ln(head/base)">;

export const cyclesPerPacket = (value: number): CyclesPerPacket => value as CyclesPerPacket;
export const ratio = (value: number): Ratio => value as Ratio;
export const logRatio = (value: number): LogRatio => value as LogRatio;

/** Missing stays missing: applies `convert` to a number, and keeps null and undefined as null. */
export function known<T>(value: number | null | undefined, convert: (value: number) => T): T | null {
  return value === null || value === undefined || Number.isNaN(value) ? null : convert(value);
}
