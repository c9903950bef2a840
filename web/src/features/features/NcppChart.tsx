// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { NcppLine, NcppPoint } from "../../shared/api/types";
import { HistoryChart } from "../../shared/charts/HistoryChart";
import { CHAIN } from "../../shared/logic/charts/palette";
import { figure, significant } from "../../shared/logic/text/format";
import { AS_MEASURED, LEVEL, lineName, ncppColumns, someLinked } from "./ncpp";
import { setText } from "./prices";

const NO_MARKS: [] = [];
const STAGES = [CHAIN];

/** One line of NCPP; the dashed level is the reference's efficiency. A click opens the commit. */
export function NcppChart({ project, line }: { project: string; line: NcppLine }) {
  const navigate = useNavigate();
  const { points } = line;
  const data = useMemo(() => ncppColumns(points), [points]);
  const linked = someLinked(points);
  return (
    <>
      <HistoryChart
        data={data}
        marks={NO_MARKS}
        allStages={STAGES}
        tickLabel={(index) => points[index]?.name ?? points[index]?.commit.short_sha ?? ""}
        scale="absolute"
        fromZero={false}
        level={LEVEL}
        height={260}
        label={`NCPP of ${lineName(line)} over ${points.length} versions. The table view has the figures.`}
        onPick={(index) => {
          const head = points[index]?.commit.sha;
          if (head)
            navigate({
              to: "/p/$project/compare",
              params: { project },
              search: { head, scenario: line.scenario },
            });
        }}
        tip={(index) => <Tip point={points[index]} linked={linked} />}
      />
      <p className="soft small">
        Dashed: 1, as efficient as the reference. Above: the same features cost more than they would have
        there.
      </p>
    </>
  );
}

/** linked: whether the line's values are, but for those that are named. */
function Tip({ point, linked }: { point: NcppPoint | undefined; linked: boolean }) {
  if (point === undefined) return null;
  return (
    <>
      <div style={{ fontWeight: 600 }}>{point.name ?? point.commit.subject}</div>
      <div className="soft mono">{point.commit.short_sha}</div>
      <div>
        NCPP {figure(point.ncpp)}
        {point.low != null &&
          point.high != null &&
          ` [${significant(point.low)}, ${significant(point.high)}]`}
      </div>
      <div className="soft">
        {point.missing ?? `${figure(point.cpp)} of ${figure(point.expected_cycles)} cycles/packet expected`}
      </div>
      {linked && !point.linked && <div className="soft">{AS_MEASURED}</div>}
      {point.features && <div className="soft">{setText(point.features)}</div>}
    </>
  );
}
