// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { priceHistoryQuery } from "../../shared/api/features";
import type { PriceLine } from "../../shared/api/types";
import { Sparkline } from "../../shared/charts/Sparkline";
import { MISSING, plain } from "../../shared/logic/text/format";
import { lineKey } from "./prices";

/** A price over the commits, as a small line. */
export function PriceSpark({ project, line }: { project: string; line: PriceLine }) {
  const { data } = useQuery(priceHistoryQuery(project, line.feature));
  const points = data?.lines.find((one) => lineKey(one) === lineKey(line))?.points ?? [];
  if (points.length < 2) return <span className="soft">{points.length === 1 ? "one value" : MISSING}</span>;
  return (
    <Sparkline
      values={points.map((point) => point.cycles)}
      label={(low, high) =>
        `${line.feature} over ${points.length} commits: between ${plain(low)} and ${plain(high)} cycles/packet`
      }
    />
  );
}
