// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { noiseQuery } from "../../shared/api/hosts";
import { fileName } from "../../shared/logic/text/csv";
import { resolutionFile } from "../../shared/logic/text/figureFiles";
import { SettingsPart } from "../../shared/ui/SettingsPart";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { DetectableChangeTable } from "./DetectableChangeTable";
import { HostNoiseChart } from "./HostNoiseChart";
import { noiseRows } from "./hostNoise";

interface Props {
  host: string;
  /** Scenarios drawn, joined by commas; undefined: all. */
  shown: string | undefined;
  onShown: (shown: string | undefined) => void;
}

/** How much a host's runs scatter, and what they can see. */
export function HostNoise({ host, ...drawn }: Props) {
  const picture = useRef<HTMLDivElement>(null);
  const points = useQuery(noiseQuery(host)).data?.points ?? [];
  return (
    <SettingsPart
      title="Noise and smallest detectable change"
      aside={
        <span className="panel-aside">
          <span className="soft">half the width of each run's interval of CPP, %</span>
          {points.length > 0 && (
            <ExportButtons
              name={fileName("nalm", host, "noise")}
              what={`noise of ${host}`}
              rows={() => noiseRows(points)}
              picture={picture}
            />
          )}
        </span>
      }
      query={noiseQuery(host)}
    >
      {({ points, resolutions }) =>
        points.length === 0 ? (
          <p className="soft">No run that you may read was judged here yet.</p>
        ) : (
          <>
            <HostNoiseChart points={points} picture={picture} {...drawn} />
            <div className="part-line">
              <h3 className="part-head">Smallest detectable change</h3>
              <ExportButtons
                name={fileName(host, "resolution")}
                what={`what ${host} can see`}
                rows={() => resolutionFile(resolutions)}
              />
            </div>
            <DetectableChangeTable resolutions={resolutions} />
            <p className="soft small">
              Under “12 launches”: a run of 12 launches finds a change of this size with 90 % probability, at
              the noise that runs have shown here.
            </p>
          </>
        )
      }
    </SettingsPart>
  );
}
