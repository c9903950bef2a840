// SPDX-License-Identifier: Apache-2.0
/** What is compared: an axis, and the two sides on it. */
import { ActionIcon, SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { measuredQuery } from "../../shared/api/compare";
import type { Measured, ScenarioSummary } from "../../shared/api/types";
import { AXES, type Axis, type CompareSearch } from "../../shared/logic/run/compareSearch";
import { modelWord } from "../../shared/logic/run/models";
import { AXIS_WORDS, axisOf, sidesOf, swapped } from "../../shared/logic/run/sides";
import { Icon } from "../../shared/ui/Icon";
import { RevisionPicker } from "./RevisionPicker";

interface Props {
  project: string;
  search: CompareSearch;
  scenarios: readonly ScenarioSummary[];
  onChange: (search: CompareSearch) => void;
}

export function SidePickers({ project, search, scenarios, onChange }: Props) {
  const by = axisOf(search);
  const set = (change: CompareSearch): void =>
    onChange({ ...search, at: undefined, fn: undefined, ...change });
  const one = { project, search, scenarios, set };
  return (
    <section aria-label="What is compared" className="sides">
      <SegmentedControl
        size="xs"
        aria-label="Compare"
        className="sides-axis"
        data={AXES.map((axis) => ({ value: axis, label: AXIS_WORDS[axis] }))}
        value={by}
        onChange={(axis) => set(onAxis(search, axis as Axis))}
      />
      <div className={by === "commit" ? "pickers" : "pickers four"}>
        {by === "commit" ? <Commits {...one} /> : <OneCommit {...one} by={by} />}
        <ActionIcon
          variant="default"
          size={36}
          className="sides-swap"
          aria-label="Swap base and head"
          disabled={sidesOf(search) === null}
          onClick={() => onChange(swapped(search))}
        >
          <Icon name="swap" size={16} />
        </ActionIcon>
      </div>
    </section>
  );
}

/** Another axis keeps the commit and forgets what only the old one had. */
const onAxis = ({ head, base, scenario }: CompareSearch, axis: Axis): CompareSearch => ({
  head,
  base: axis === "commit" ? base : undefined,
  scenario: axis === "commit" || axis === "host" ? scenario : undefined,
  by: axis === "commit" ? undefined : axis,
  base_scenario: undefined,
  base_host: undefined,
  head_host: undefined,
});

interface PartProps {
  project: string;
  search: CompareSearch;
  scenarios: readonly ScenarioSummary[];
  set: (change: CompareSearch) => void;
}

function Commits({ project, search, scenarios, set }: PartProps) {
  const { base, head, scenario } = search;
  return (
    <>
      <RevisionPicker project={project} label="Base" value={base} onChange={(sha) => set({ base: sha })} />
      <RevisionPicker project={project} label="Head" value={head} onChange={(sha) => set({ head: sha })} />
      <Choice
        label="Scenario"
        values={scenarios.map((item) => ({ value: item.name, label: item.name }))}
        value={scenario}
        onChange={(name) => set({ scenario: name })}
      />
    </>
  );
}

function OneCommit({ project, search, set, by }: PartProps & { by: Axis }) {
  const { head, scenario, base_scenario, base_host, head_host } = search;
  const { data: measured } = useQuery({ ...measuredQuery(project, head ?? ""), enabled: head !== undefined });
  const runs = measured?.runs ?? [];
  const hosts = options(runs, (one) => [one.host, `${one.host} (${one.host_class})`]);
  const kinds = options(runs, (one) => [one.scenario, kindText(one, by)]);
  return (
    <>
      <RevisionPicker project={project} label="Commit" value={head} onChange={(sha) => set({ head: sha })} />
      {by === "host" ? (
        <>
          <Choice
            label="Base host"
            values={hosts}
            value={base_host}
            onChange={(v) => set({ base_host: v })}
          />
          <Choice
            label="Head host"
            values={hosts}
            value={head_host}
            onChange={(v) => set({ head_host: v })}
          />
          <Choice
            label="Scenario"
            values={options(runs, (one) => [one.scenario, one.scenario])}
            value={scenario}
            onChange={(v) => set({ scenario: v })}
          />
        </>
      ) : (
        <>
          <Choice
            label="Base"
            values={kinds}
            value={base_scenario}
            onChange={(v) => set({ base_scenario: v })}
          />
          <Choice label="Head" values={kinds} value={scenario} onChange={(v) => set({ scenario: v })} />
        </>
      )}
    </>
  );
}

function kindText(one: Measured, by: Axis): string {
  const of = by === "model" ? modelWord(one.model) : (one.features?.join(", ") ?? "features not kept");
  return `${one.scenario}: ${of || "no features"}`;
}

interface Option {
  value: string;
  label: string;
}

const options = (runs: readonly Measured[], of: (one: Measured) => [string, string]): Option[] =>
  [...new Map(runs.map(of))].map(([value, label]) => ({ value, label }));

interface ChoiceProps {
  label: string;
  values: Option[];
  value: string | undefined;
  onChange: (value: string) => void;
}

function Choice({ label, values, value, onChange }: ChoiceProps) {
  const data =
    value && !values.some((one) => one.value === value) ? [...values, { value, label: value }] : values;
  return (
    <Select
      label={label}
      placeholder="Choose"
      allowDeselect={false}
      data={data}
      value={value ?? null}
      onChange={(chosen) => chosen && onChange(chosen)}
      nothingFoundMessage="None was measured"
    />
  );
}
