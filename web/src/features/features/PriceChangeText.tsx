// SPDX-License-Identifier: Apache-2.0
import type { PriceChange } from "../../shared/api/types";
import { change, MISSING, signed } from "../../shared/logic/text/format";
import { known, ratio } from "../../shared/logic/text/units";

/** What is written as 0 is in no stage. */
const LEAST_SHOWN = 0.05;

/** "+30.0 (+20.0 %)", in which stage, and whether that is more than the intervals allow. */
export function PriceChangeText({ of }: { of: PriceChange | null }) {
  if (of === null) return MISSING;
  const sure = of.apart === null ? [] : [of.apart ? "intervals apart" : "within the intervals"];
  const seen = Math.abs(of.change_cycles) >= LEAST_SHOWN;
  const under = [...(of.stage && seen ? [`most in ${of.stage}`] : []), ...sure];
  return (
    <>
      {signed(of.change_cycles, 1)}
      {of.ratio !== null && <span className="soft"> ({change(known(of.ratio, ratio))})</span>}
      {under.length > 0 && <span className="under wrap-text">{under.join(", ")}</span>}
    </>
  );
}
