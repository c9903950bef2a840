// SPDX-License-Identifier: Apache-2.0
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { noiseQuery } from "../api/hosts";
import { fileName } from "../logic/csv";
import { sightFile } from "../logic/figureFiles";
import { noiseRows } from "../logic/hostNoise";
import { ExportButtons } from "./ExportButtons";
import { HostNoiseChart } from "./HostNoiseChart";
import { SettingsPart } from "./SettingsPart";
import { SightTable } from "./SightTable";

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
      title="Noise, and what it can see"
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
      {({ points, sights }) =>
        points.length === 0 ? (
          <p className="soft">No run that you may read was judged here yet.</p>
        ) : (
          <>
            <HostNoiseChart points={points} picture={picture} {...drawn} />
            <div className="part-line">
              <h3 className="part-head">What it can see</h3>
              <ExportButtons
                name={fileName(host, "sight")}
                what={`what ${host} can see`}
                rows={() => sightFile(sights)}
              />
            </div>
            <SightTable sights={sights} />
            <p className="soft small">
              “Seen in 12”: a change of this size is found with 90 % chance in a run of 12 launches, at the
              noise its runs have shown here.
            </p>
          </>
        )
      }
    </SettingsPart>
  );
}
