// SPDX-License-Identifier: Apache-2.0
import { change, interval } from "../../logic/text/format";
import { known, ratio } from "../../logic/text/units";

export interface RatioInterval {
  ratio_cpp?: number | null;
  low?: number | null;
  high?: number | null;
}

/** The name of a run's change, the same on every page: a test compares what pages say of it. */
export const changeOfRun = (runId: string): string => `change of CPP in run ${runId}`;

/** "+12.1 % [+10.9, +13.4]", in the plain colour of text: whether it is good news, the verdict says. */
export function ChangeText({ of, quantity }: { of: RatioInterval; quantity?: string | undefined }) {
  const range = interval(known(of.low, ratio), known(of.high, ratio));
  return (
    <span className="change" data-quantity={quantity}>
      {change(known(of.ratio_cpp, ratio))} {range && <span className="interval">{range}</span>}
    </span>
  );
}
