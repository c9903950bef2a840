// SPDX-License-Identifier: Apache-2.0
import { change, interval, signed } from "../../logic/text/format";
import { known, ratio } from "../../logic/text/units";

export interface RatioInterval {
  ratio_cpp?: number | null;
  low?: number | null;
  high?: number | null;
}

/** Names of quantities, the same on every page: a test compares what pages say of each. */
export const changeOfRun = (runId: string): string => `change of CPP in run ${runId}`;
export const changeAt = (sha: string, scenario: string): string =>
  `change of CPP at ${sha.slice(0, 7)} in ${scenario}`;
export const priceOfRun = (runId: string): string => `price in run ${runId}`;
export const sizeOfAlert = (id: number): string => `size of alert ${id}`;
export const openAlertsOf = (project: string): string => `open alerts of ${project}`;
/** Several names of one quantity. */
export const named = (...names: string[]): string => names.join("|");

/** "+12.1 % [+10.9, +13.4]", in the plain colour of text: whether it is good news, the verdict says. */
export function ChangeText({ of, quantity }: { of: RatioInterval; quantity?: string | undefined }) {
  const range = interval(known(of.low, ratio), known(of.high, ratio));
  return (
    <span className="change" data-quantity={quantity}>
      {change(known(of.ratio_cpp, ratio))} {range && <span className="interval">{range}</span>}
    </span>
  );
}

interface PriceProps {
  cycles: number;
  low?: number | null | undefined;
  high?: number | null | undefined;
  run: string | undefined;
}

/** "+400.0 [+398.1, +401.9] cycles/packet", a price with its interval if there is one. */
export function PriceText({ cycles, low, high, run }: PriceProps) {
  return (
    <span className="change price-text" data-quantity={run && priceOfRun(run)}>
      {signed(cycles)}{" "}
      {low != null && high != null && (
        <>
          <span className="interval">
            [{signed(low)}, {signed(high)}]
          </span>{" "}
        </>
      )}
      <span className="interval">cycles/packet</span>
    </span>
  );
}
