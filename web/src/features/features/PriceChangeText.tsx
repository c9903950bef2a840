// SPDX-License-Identifier: Apache-2.0
import type { PriceChange } from "../../shared/api/types";
import { change, MISSING, signed } from "../../shared/logic/text/format";
import { known, ratio } from "../../shared/logic/text/units";
import { AS_MEASURED } from "./ncpp";

/** What is written as 0 is in no stage. */
const LEAST_SHOWN = 0.05;

/** "+30.0 (+20.0 %)", in which stage, whether that is more than intervals allow, and from which values. */
export function PriceChangeText({ of }: { of: PriceChange | null }) {
  if (of === null) return MISSING;
  const seen = Math.abs(of.change_cycles) >= LEAST_SHOWN;
  const most = of.stage && seen ? [`most in ${of.stage}`] : [];
  const under = [...most, ...sureness(of), of.linked ? "linked" : AS_MEASURED];
  return (
    <>
      {signed(of.change_cycles, 1)}
      {of.ratio !== null && <span className="soft"> ({change(known(of.ratio, ratio))})</span>}
      <span className="under wrap-text">{under.join(", ")}</span>
    </>
  );
}

/** A linked change has an interval of its own; otherwise each of the two prices has one. */
function sureness({ apart, linked }: PriceChange): string[] {
  if (apart === null) return [];
  if (linked) return [apart ? "interval without 0" : "interval with 0"];
  return [apart ? "intervals apart" : "within the intervals"];
}
