// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { HostNoise } from "../api/types";
import { moment } from "../logic/format";
import { noiseColumns, sightName } from "../logic/hostNoise";
import { share } from "../logic/hosts";
import { HistoryChart } from "./HistoryChart";
import { StageLegend } from "./StageLegend";

const NO_MARKS: [] = [];

/** Half the width of each run's interval; a click opens the run. */
export function HostNoiseChart({ points }: { points: HostNoise["points"] }) {
  const navigate = useNavigate();
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const all = useMemo(() => noiseColumns(points), [points]);
  const names = useMemo(() => all.stages.map((line) => line.stage), [all]);
  const shown = names.filter((name) => !hidden.includes(name));
  const data = useMemo(
    () => ({ ...all, stages: all.stages.filter((line) => !hidden.includes(line.stage)) }),
    [all, hidden],
  );
  const toggle = (name: string): void =>
    setHidden(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name]);
  return (
    <>
      <StageLegend stages={names} shown={shown} onToggle={toggle} label="Scenarios shown" />
      <HistoryChart
        data={data}
        marks={NO_MARKS}
        allStages={names}
        tickLabel={(index) => points[index]?.at.slice(5, 10) ?? ""}
        scale="absolute"
        fromZero
        height={220}
        label={`Noise of ${points.length} runs on this host, in per cent. The table below has the medians.`}
        onPick={(index) => {
          const point = points[index];
          if (point)
            navigate({
              to: "/p/$project/runs/$runId",
              params: { project: point.project, runId: point.run_id },
            });
        }}
        tip={(index) => <Tip point={points[index]} />}
      />
    </>
  );
}

function Tip({ point }: { point: HostNoise["points"][number] | undefined }) {
  if (point === undefined) return null;
  return (
    <>
      <div style={{ fontWeight: 600 }}>{sightName(point)}</div>
      <div className="soft">{moment(point.at)}</div>
      <div>
        known to ± {share(point.width)} after {point.launches} launches
      </div>
    </>
  );
}
