// SPDX-License-Identifier: Apache-2.0
import { SegmentedControl } from "@mantine/core";
import { useRef } from "react";
import type { Comparison } from "../../api/types";
import { RatioPlot } from "../../charts/RatioPlot";
import { RoundsPlot } from "../../charts/RoundsPlot";
import { judgedArm, launchRatios } from "../../logic/run/ratios";
import { ARMS } from "../../logic/run/rounds";
import type { Row } from "../../logic/text/csv";
import { Panel } from "../Panel";
import { ExportButtons } from "../save/ExportButtons";

type Rounds = Comparison["rounds"];

interface Props {
  /** Of the files it is saved as, without ending. */
  name: string;
  rounds: Rounds;
  /** Both sides ran side by side. */
  paired: boolean;
  chain: Comparison["chain"];
  drawn: "ratio" | "cpp";
  onDrawn: (drawn: "ratio" | "cpp") => void;
}

/** Every kept round: as ratios where both sides ran side by side, or as the cycles they took. */
export function RoundsPanel({ name, rounds, paired, chain, drawn, onDrawn }: Props) {
  const picture = useRef<HTMLDivElement>(null);
  const launches = paired ? launchRatios(rounds, judgedArm(rounds)) : [];
  if (ARMS.every((arm) => rounds[arm].length === 0)) return null;
  const asRatio = launches.length > 0 && drawn === "ratio";
  return (
    <Panel
      title="Rounds"
      aside={
        <span className="panel-tools">
          {launches.length > 0 && (
            <SegmentedControl
              size="xs"
              aria-label="Rounds drawn as"
              data={[
                { value: "ratio", label: "Head / base" },
                { value: "cpp", label: "Cycles/packet" },
              ]}
              value={drawn}
              onChange={(value) => onDrawn(value as "ratio" | "cpp")}
            />
          )}
          <ExportButtons
            name={name}
            what="the rounds"
            rows={() => roundRows(rounds)}
            picture={picture}
            drawn="svg"
          />
        </span>
      }
    >
      <div ref={picture}>
        {asRatio ? <RatioPlot launches={launches} of={chain ?? {}} /> : <RoundsPlot rounds={rounds} />}
      </div>
    </Panel>
  );
}

const roundRows = (rounds: Rounds): Row[] => [
  ["arm", "launch", "turn", "cycles_per_packet"],
  ...ARMS.flatMap((arm) => rounds[arm].map((one): Row => [arm, one.launch, one.turn, one.cpp])),
];
