// SPDX-License-Identifier: Apache-2.0
import type { Proportion, Quality } from "../../shared/api/types";
import { hasTrials } from "../../shared/logic/run/rates";
import { type RateGroup, ratesFile } from "../../shared/logic/text/figureFiles";
import { SavedPanel } from "../../shared/ui/save/SavedPanel";
import { RateTable } from "./RateTable";

type Groups = readonly (Proportion & { name: string })[];
export const rowsOf = (groups: Groups) => groups.map((of) => ({ name: of.name, of }));

/** Of changes that were planted, those that were found. */
export function DetectionPanel({ project, of }: { project: string; of: Quality["detection"] }) {
  return (
    <SavedPanel
      title="Detection"
      aside={<span className="soft">planted changes that were found, of all measured</span>}
      name={`${project}-detection`}
      what="detection"
      rows={hasTrials(of.all) ? () => ratesFile(groupsOf(of)) : undefined}
    >
      {hasTrials(of.all) ? <Found of={of} /> : <NonePlanted project={project} />}
    </SavedPanel>
  );
}

function NonePlanted({ project }: { project: string }) {
  return (
    <>
      <p className="soft">
        No change was injected here, so the detection rate is not known. This measures changes of known effect
        and sends what came out:
      </p>
      <code className="command spaced">{`nalm-mutants run --sample 6 --upload --project ${project} --server ${window.location.origin} --token-file token`}</code>
    </>
  );
}

const wholeOf = (of: Quality["detection"]) =>
  [
    { name: "all", of: of.all },
    { name: "right stage named, of those found", of: of.stage },
    { name: "right cause named, of those found", of: of.cause },
  ].filter((row) => hasTrials(row.of));

const groupsOf = (of: Quality["detection"]): RateGroup[] => [
  { group: "all", rates: wholeOf(of) },
  { group: "size", rates: rowsOf(of.by_size) },
  { group: "kind", rates: rowsOf(of.by_category) },
  { group: "scenario", rates: rowsOf(of.by_scenario) },
];

function Found({ of }: { of: Quality["detection"] }) {
  return (
    <>
      <p className="said">{of.all.sentence}</p>
      <RateTable label="Detection of all" first="Of" rows={wholeOf(of)} />
      <Grouped of="Detection" title="By size of the change" first="Size" groups={of.by_size} />
      <Grouped of="Detection" title="By kind" first="Kind" groups={of.by_category} />
      <Grouped of="Detection" title="By scenario" first="Scenario" groups={of.by_scenario} />
    </>
  );
}

interface GroupedProps {
  /** What is counted, for those who hear the page. */
  of: string;
  title: string;
  first: string;
  groups: Groups;
  color?: string;
}

export function Grouped({ of, title, first, groups, color }: GroupedProps) {
  if (groups.length === 0) return null;
  return (
    <>
      <h3 className="part-head">{title}</h3>
      <RateTable
        label={`${of}, ${title.toLowerCase()}`}
        first={first}
        rows={rowsOf(groups)}
        {...(color ? { color } : {})}
      />
    </>
  );
}
