// SPDX-License-Identifier: Apache-2.0
/** What of the history is shown, and how; every choice is in the address. */
import { MultiSelect, SegmentedControl, Select } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { branchesQuery, projectMetricsQuery } from "../../shared/api/queries";
import type { ScenarioSummary } from "../../shared/api/types";
import { functionsOf } from "../../shared/logic/code/functions";
import { commonKind, type RunKind } from "../../shared/logic/run/kinds";
import { LONGEST, NO_STAGES } from "../../shared/logic/search";
import { FunctionPicker } from "./FunctionPicker";
import { AXES, type HistorySearch, SCALES, VALUES, withFunctions } from "./search";

const VALUE_WORDS = { linked: "As shipped", same_features: "Same features", measured: "As measured" };
const SCALE_WORDS = { absolute: "Absolute", relative: "Relative", log: "Log" };
const AXIS_WORDS = { commits: "By commit", dates: "By date" };
const VIEW_CHOICES = [
  { value: "chart", label: "Chart" },
  { value: "table", label: "Table" },
];
const MAIN = "main";
/** Series are told apart up to here. */
const MOST_LINES = 8;

interface Props {
  project: string;
  scenarios: readonly ScenarioSummary[];
  shown: readonly ScenarioSummary[];
  branches: readonly string[];
  search: HistorySearch;
  set: (change: HistorySearch) => void;
}

/** Of a phone: there the choices would take the first screen. */
const NARROW = "(max-width: 40rem)";

export function HistoryControls(props: Props) {
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const [open, setOpen] = useState(false);
  if (!narrow) return <Choices {...props} />;
  return (
    <details className="history-choices" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Choose what is shown</summary>
      {open && <Choices {...props} />}
    </details>
  );
}

function Choices({ project, scenarios, shown, branches, search, set }: Props) {
  const { data: known = [] } = useQuery(branchesQuery(project));
  const classes = [...new Set(shown.flatMap((one) => one.host_classes))];
  return (
    <div className="history-controls">
      <div className="controls">
        {scenarios.length > 1 && (
          <MultiSelect
            label="Scenarios"
            size="xs"
            maxValues={MOST_LINES}
            data={scenarios.map((item) => item.name)}
            value={shown.map((item) => item.name)}
            onChange={(names) => names.length > 0 && set({ scenario: names.join(","), stages: undefined })}
          />
        )}
        {known.length > 1 && (
          <MultiSelect
            label="Branches"
            size="xs"
            placeholder={branches.length === 0 ? "The default branch" : ""}
            maxValues={MOST_LINES}
            data={known.map((one) => one.name)}
            value={[...branches]}
            onChange={(names) => set({ branch: names.join(",") || undefined })}
          />
        )}
        {classes.length > 1 && (
          <Select
            label="Host class"
            size="xs"
            placeholder="Of the newest run"
            clearable
            data={classes}
            value={search.host_class ?? null}
            onChange={(name) => set({ host_class: name ?? undefined })}
          />
        )}
        <FunctionPicker
          project={project}
          scenarios={shown.map((one) => one.name)}
          hostClass={search.host_class}
          value={functionsOf(search.functions)}
          onChange={(keys) => set(withFunctions(search, keys))}
        />
        <MetricSelect
          project={project}
          kind={commonKind(shown.map((one) => one.name))}
          search={search}
          set={set}
        />
        <Select
          label="Commits"
          size="xs"
          w={135}
          allowDeselect={false}
          data={[
            { value: "newest", label: "Newest 1000" },
            { value: LONGEST, label: "10 000" },
          ]}
          value={search.last ?? "newest"}
          onChange={(value) => set({ last: value === LONGEST ? LONGEST : undefined })}
        />
      </div>
      <div className="controls">
        <SegmentedControl
          aria-label="Values"
          size="xs"
          data={VALUES.map((value) => ({ value, label: VALUE_WORDS[value] }))}
          value={search.values ?? "linked"}
          onChange={(value) => set({ values: VALUES.find((one) => one === value && one !== "linked") })}
        />
        <SegmentedControl
          aria-label="Scale"
          size="xs"
          data={SCALES.map((value) => ({ value, label: SCALE_WORDS[value] }))}
          value={search.scale ?? "absolute"}
          onChange={(value) => set({ scale: SCALES.find((one) => one === value && one !== "absolute") })}
        />
        <SegmentedControl
          aria-label="Time axis"
          size="xs"
          disabled={search.view === "table"}
          data={AXES.map((value) => ({ value, label: AXIS_WORDS[value] }))}
          value={search.axis ?? "commits"}
          onChange={(value) => set({ axis: AXES.find((one) => one === value && one !== "commits") })}
        />
        <SegmentedControl
          aria-label="View"
          size="xs"
          data={VIEW_CHOICES}
          value={search.view ?? "chart"}
          onChange={(value) => set({ view: value === "table" ? "table" : undefined, page: undefined })}
        />
      </div>
    </div>
  );
}

const MAIN_LABELS: Readonly<Record<RunKind, string>> = {
  cycles: "CPP, IPP, eIPC, rate",
  rate: "Latency, NDR, MRR, loss",
  soak: "Growth and drift",
};

function MetricSelect({
  project,
  kind,
  search,
  set,
}: Pick<Props, "project" | "search" | "set"> & { kind: RunKind }) {
  const { data: metrics = [] } = useQuery(projectMetricsQuery(project));
  return (
    <Select
      label="Metric"
      size="xs"
      w={170}
      allowDeselect={false}
      data={[
        {
          value: MAIN,
          label:
            search.functions && search.stages === NO_STAGES ? "IPP, calls, CPP, eIPC" : MAIN_LABELS[kind],
        },
        ...metrics.map((one) => ({ value: one.name, label: one.title })),
      ]}
      value={search.metric ?? MAIN}
      onChange={(value) => set({ metric: value === null || value === MAIN ? undefined : value })}
    />
  );
}
