// SPDX-License-Identifier: Apache-2.0
/** Down to function and line: the flame graph of both sides, the functions that changed, the lines of one. */
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { codeQuery, sourceQuery } from "../../shared/api/compare";
import type { CodeComparison } from "../../shared/api/types";
import { functionKey } from "../../shared/logic/code/codeRows";
import type { CompareSearch } from "../../shared/logic/run/compareSearch";
import type { Sides } from "../../shared/logic/run/sides";
import { fileName, type Row } from "../../shared/logic/text/csv";
import { SourcePanel } from "../../shared/ui/code/SourcePanel";
import { useScrollToOpened } from "../../shared/ui/hooks/useScrollToOpened";
import { Panel } from "../../shared/ui/Panel";
import { Loading } from "../../shared/ui/States";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { FlameGraph } from "./FlameGraph";
import { FunctionTable } from "./FunctionTable";

interface Props {
  project: string;
  sides: Sides;
  search: CompareSearch;
  onChange: (change: CompareSearch) => void;
}

export function CodePanels({ project, sides, search, onChange }: Props) {
  const { data, error } = useQuery(codeQuery(project, sides));
  const place = useScrollToOpened(search.fn);
  if (error) return <CodeMissing why={`Functions and lines could not be read: ${error.message}`} />;
  if (data === undefined) return <Loading rows={4} />;
  if (data.functions.length === 0 && data.instruction_flame === null && data.cycle_flame === null)
    return (
      <CodeMissing why="Neither counted nor sampled on both sides. Instructions by function need valgrind on the bench host and an NF with symbols, cycles by function need perf: nalm doctor says which is missing." />
    );
  const opened = data.functions.find((one) => functionKey(one) === search.fn);
  return (
    <>
      <FlamePanel of={data} search={search} onChange={onChange} />
      {data.functions.length > 0 && (
        <Panel
          title="Functions"
          aside={
            <span className="panel-tools">
              <span className="soft">own cost per packet, largest change first</span>
              <ExportButtons
                name={fileName("functions", data.base_sha.slice(0, 7), data.head_sha.slice(0, 7))}
                what="the functions"
                rows={() => functionRows(data)}
              />
            </span>
          }
        >
          <FunctionTable
            project={project}
            scenario={sides.scenario}
            of={data}
            open={search.fn}
            onOpen={(fn) => onChange({ fn })}
          />
        </Panel>
      )}
      <div ref={place} className="source-panel">
        {opened && (
          <SourcePanel
            query={sourceQuery(project, sides, opened.stage, opened.name)}
            of={data}
            one={opened}
            search={search}
            onChange={onChange}
          />
        )}
      </div>
    </>
  );
}

const CodeMissing = ({ why }: { why: string }) => (
  <Panel title="Functions">
    <p className="soft">{why}</p>
  </Panel>
);

function FlamePanel({ of, search, onChange }: Omit<Props, "project" | "sides"> & { of: CodeComparison }) {
  const picture = useRef<HTMLDivElement>(null);
  const { instruction_flame, cycle_flame } = of;
  const cost = (search.cost ?? "instructions") === "cycles" || !instruction_flame ? "cycles" : "instructions";
  const root = (cost === "cycles" ? cycle_flame : instruction_flame) ?? instruction_flame;
  if (!root) return null;
  return (
    <Panel
      title="Flame graph of the change"
      aside={
        <span className="panel-tools">
          {instruction_flame && cycle_flame && (
            <SegmentedControl
              size="xs"
              aria-label="Cost drawn"
              data={[
                { value: "instructions", label: "Instructions" },
                { value: "cycles", label: "Cycles" },
              ]}
              value={cost}
              onChange={(value) =>
                onChange({ cost: value === "cycles" ? "cycles" : undefined, at: undefined })
              }
            />
          )}
          <span className="soft">{cost === "cycles" ? "by samples, estimated" : "counted exactly"}</span>
          <ExportButtons
            name={fileName("flame", of.base_sha.slice(0, 7), of.head_sha.slice(0, 7))}
            what="the flame graph"
            picture={picture}
            drawn="svg"
          />
        </span>
      }
    >
      <FlameGraph
        root={root}
        unit={`${cost}/packet`}
        at={search.at}
        onAt={(at) => onChange({ at })}
        picture={picture}
      />
    </Panel>
  );
}

const functionRows = ({ functions }: CodeComparison): Row[] => [
  [
    "stage",
    "function",
    "file",
    "line",
    "base_ipp",
    "head_ipp",
    "base_calls",
    "head_calls",
    "base_cpp",
    "head_cpp",
  ],
  ...functions.map(({ stage, name, base, head }): Row => {
    const where = head?.file ? head : base;
    const both = (key: "ipp" | "calls" | "cpp"): Row => [base?.[key], head?.[key]];
    return [stage, name, where?.file, where?.line, ...both("ipp"), ...both("calls"), ...both("cpp")];
  }),
];
