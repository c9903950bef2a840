// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useMemo } from "react";
import type { HostNoise } from "../../shared/api/types";
import { HistoryChart } from "../../shared/charts/HistoryChart";
import { StageLegend } from "../../shared/charts/StageLegend";
import { share } from "../../shared/logic/hosts";
import { chosen, toggled } from "../../shared/logic/search";
import { moment, momentTick } from "../../shared/logic/text/format";
import { noiseColumns, sightName } from "./hostNoise";

const NO_MARKS: [] = [];
/** Less noise than this is none. */
const LEAST_PERCENT = 0.01;

interface Props {
  points: HostNoise["points"];
  /** Scenarios drawn, joined by commas; undefined: all. */
  shown: string | undefined;
  onShown: (shown: string | undefined) => void;
  picture: RefObject<HTMLDivElement | null>;
}

/** Half the width of each run's interval; a click opens the run. */
export function HostNoiseChart({ points, shown: requested, onShown, picture }: Props) {
  const navigate = useNavigate();
  const all = useMemo(() => noiseColumns(points), [points]);
  const names = useMemo(() => all.stages.map((line) => line.stage), [all]);
  const shown = useMemo(() => chosen(requested, names), [requested, names]);
  const data = useMemo(
    () => ({ ...all, stages: all.stages.filter((line) => shown.includes(line.stage)) }),
    [all, shown],
  );
  return (
    <div ref={picture}>
      <StageLegend
        stages={names}
        shown={shown}
        onToggle={(name) => onShown(toggled(requested, name, names))}
        label="Scenarios shown"
      />
      <HistoryChart
        data={data}
        marks={NO_MARKS}
        allStages={names}
        tickLabel={(index, before) => momentTick(points[index]?.at ?? "", points[before ?? -1]?.at)}
        scale="absolute"
        fromZero
        reach={LEAST_PERCENT}
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
    </div>
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
