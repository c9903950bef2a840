// SPDX-License-Identifier: Apache-2.0
import type { Trend } from "../../shared/api/types";
import { Sparkline } from "../../shared/charts/Sparkline";
import { trendOf } from "../../shared/logic/overview";
import { change } from "../../shared/logic/text/format";
import { ratio } from "../../shared/logic/text/units";

/** Of levels: less than this is drawn as the small change that it is. */
const LEAST_SPAN = 0.02;

/** The course of a project's cycles per packet over its last weeks; nothing before the second one. */
export function TrendSpark({ trend }: { trend: Trend | undefined }) {
  if (trend === undefined || trend.points.length < 2) return null;
  const { levels, since, total } = trendOf(trend);
  return (
    <div className="trend">
      <Sparkline
        values={levels}
        leastSpan={LEAST_SPAN}
        label={(low, high) =>
          `Cycles per packet over all scenarios since ${since}: between ${change(ratio(low))} and ${change(ratio(high))}`
        }
      />
      <span className="soft">
        {change(ratio(total))} since {since}
      </span>
    </div>
  );
}
