// SPDX-License-Identifier: Apache-2.0
import { SegmentedControl, Select, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { BYS, type By, ncppQuery } from "../../shared/api/features";
import type { NcppLine, NcppTable as Table } from "../../shared/api/types";
import { percent } from "../../shared/logic/run/rates";
import { fileName } from "../../shared/logic/text/csv";
import { ncppFile } from "../../shared/logic/text/tableFiles";
import { MetricName } from "../../shared/ui/Help";
import { Panel } from "../../shared/ui/Panel";
import { ServerText } from "../../shared/ui/ServerText";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { ValueNote } from "../../shared/ui/ValueNote";
import { NcppChart } from "./NcppChart";
import { NcppTable } from "./NcppTable";
import { currentLine, lineName, someLinked } from "./ncpp";
import type { FeaturesSearch } from "./search";

const BY_WORDS: Record<By, string> = { commit: "Commits", release: "Releases", branch: "Branches" };
const VIEWS = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];

interface Props {
  project: string;
  search: FeaturesSearch;
  set: (change: FeaturesSearch) => void;
}

/** Versions with different feature sets on one scale. */
export function NcppPanel({ project, search, set }: Props) {
  const by = search.by ?? "commit";
  const picture = useRef<HTMLDivElement>(null);
  const { data: table, error } = useQuery(ncppQuery(project, by));
  const line = table && currentLine(table.lines, search.scenario, search.host_class);
  return (
    <Panel
      title={
        <>
          <MetricName name="ncpp" /> on one scale
        </>
      }
      aside={
        line && (
          <span className="panel-tools">
            <ModelError line={line} />
            <ExportButtons
              name={fileName(project, "ncpp", line.scenario)}
              what="NCPP"
              rows={() => ncppFile(line.points)}
              picture={search.view === "table" || by === "branch" ? undefined : picture}
            />
          </span>
        )
      }
    >
      <Controls table={table} line={line} search={search} set={set} />
      {table === undefined && (error ? <p role="alert">{error.message}</p> : <Skeleton height={260} />)}
      {table && !line && <p className="soft">{NONE[by]}</p>}
      {line?.missing && (
        <p className="held">
          <ServerText>{line.missing}</ServerText>
        </p>
      )}
      {line && isKnown(line) && (
        <p className="small">
          <ValueNote of={someLinked(line.points) ? "ncpp" : "measured"} />
        </p>
      )}
      <div ref={picture}>{line && <Shown project={project} line={line} by={by} view={search.view} />}</div>
    </Panel>
  );
}

const NONE: Record<By, string> = {
  commit: "Nothing has been measured yet.",
  release: "No tag's commit has been measured yet.",
  branch: "Of no watched branch has a commit been measured yet.",
};

function ModelError({ line }: { line: NcppLine }) {
  if (line.held_out_error === null) return null;
  return (
    <span className="soft">
      the cost model's error on sets it was not fitted on: {percent(line.held_out_error)}
    </span>
  );
}

interface ControlsProps extends Omit<Props, "project"> {
  table: Table | undefined;
  line: NcppLine | undefined;
}

function Controls({ table, line, search, set }: ControlsProps) {
  const lines = table?.lines ?? [];
  return (
    <div className="controls panel-controls">
      <SegmentedControl
        aria-label="A point for each"
        size="xs"
        data={BYS.map((by) => ({ value: by, label: BY_WORDS[by] }))}
        value={search.by ?? "commit"}
        onChange={(value) => set({ by: BYS.find((by) => by === value && by !== "commit") })}
      />
      {search.by !== "branch" && (
        <SegmentedControl
          aria-label="View of NCPP"
          size="xs"
          data={VIEWS}
          value={search.view ?? "chart"}
          onChange={(value) => set({ view: value === "table" ? "table" : undefined })}
        />
      )}
      {lines.length > 1 && line && (
        <Select
          aria-label="Scenario and host class"
          size="xs"
          allowDeselect={false}
          data={lines.map(lineName)}
          value={lineName(line)}
          onChange={(name) => {
            const chosen = lines.find((one) => lineName(one) === name);
            if (chosen) set({ scenario: chosen.scenario, host_class: chosen.host_class });
          }}
        />
      )}
    </div>
  );
}

const isKnown = (line: NcppLine): boolean => line.points.some((point) => point.ncpp != null);

interface ShownProps {
  project: string;
  line: NcppLine;
  by: By;
  view: FeaturesSearch["view"];
}

/** Branches have no order, so no line leads from one to the next. */
function Shown({ project, line, by, view }: ShownProps) {
  if (view === "table" || by === "branch") return <NcppTable project={project} line={line} by={by} />;
  if (!isKnown(line)) return line.missing ? null : <p className="soft">No figure yet.</p>;
  return <NcppChart project={project} line={line} />;
}
