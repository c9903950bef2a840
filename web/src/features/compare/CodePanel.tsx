// SPDX-License-Identifier: Apache-2.0
/** Down to function and line: the functions that changed, the lines of one, the flame graph of both sides. */
import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useRef } from "react";
import { codeQuery, sourceQuery } from "../../shared/api/compare";
import type { CodeComparison, Verdict } from "../../shared/api/types";
import { functionKey } from "../../shared/logic/code/codeRows";
import { foldedFrames, foldedFunctions } from "../../shared/logic/code/foreign";
import { judgedByKey } from "../../shared/logic/code/functionOutcomes";
import { type CompareSearch, costOfCause } from "../../shared/logic/run/compareSearch";
import { axisOf, pairText, type Sides } from "../../shared/logic/run/sides";
import { fileName, type Row } from "../../shared/logic/text/csv";
import { said } from "../../shared/logic/text/format";
import { SourcePanel } from "../../shared/ui/code/SourcePanel";
import { useScrollToOpened } from "../../shared/ui/hooks/useScrollToOpened";
import { MeasurePair } from "../../shared/ui/jobs/MeasurePair";
import { Panel } from "../../shared/ui/Panel";
import { isExpired, Loading } from "../../shared/ui/States";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { FlameGraph } from "./FlameGraph";
import { FunctionTable } from "./FunctionTable";
import { ProfileExport } from "./ProfileExport";

interface Props {
  project: string;
  sides: Sides;
  search: CompareSearch;
  /** What the verdict says; null: there is none. */
  verdict: Verdict | null;
  onChange: (change: CompareSearch) => void;
}

/** The address's function, else the one that the verdict says pays most. */
function useOpened(data: CodeComparison | undefined, verdict: Verdict | null, fn: string | undefined) {
  const pays = verdict?.functions?.[0];
  const key = fn ?? (pays && functionKey(pays));
  return data?.functions.find((one) => functionKey(one) === key);
}

export function CodePanels({ project, sides, search: address, verdict, onChange }: Props) {
  const { data: read, error } = useQuery(codeQuery(project, sides));
  const data = useMemo(() => read && folded(read), [read]);
  const cost = address.cost ?? costOfCause(verdict?.cause);
  const opened = useOpened(read, verdict, address.fn);
  const search = { ...address, cost };
  const place = useScrollToOpened(address.fn);
  if (data === undefined)
    return error ? (
      <CodeMissing
        why={
          isExpired(error) ? said(error.message) : `Functions and lines could not be read: ${error.message}`
        }
      >
        {isExpired(error) && axisOf(address) === "commit" && (
          <MeasurePair
            key={pairText(address)}
            project={project}
            base={sides.base}
            head={sides.head}
            scenario={sides.scenario}
          />
        )}
      </CodeMissing>
    ) : (
      <Loading rows={4} />
    );
  if (data.functions.length === 0 && data.instruction_flame === null && data.cycle_flame === null)
    return (
      <CodeMissing why="Neither counted nor sampled on both sides. Instructions by function need valgrind on the bench host and an NF with symbols, cycles by function need perf: nalm doctor says which is missing." />
    );
  return (
    <>
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
            open={opened && functionKey(opened)}
            onOpen={(fn) => onChange({ fn: fn ?? "-", line: undefined })}
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
      <FlamePanel of={data} search={search} onChange={onChange} />
    </>
  );
}

const CodeMissing = ({ why, children }: { why: string; children?: ReactNode }) => (
  <Panel title="Functions">
    <p className="soft">{why}</p>
    {children}
  </Panel>
);

/** Addresses of a library are one row and one frame. */
const folded = (of: CodeComparison): CodeComparison => ({
  ...of,
  functions: foldedFunctions(of.functions),
  instruction_flame: of.instruction_flame && foldedFrames(of.instruction_flame),
  cycle_flame: of.cycle_flame && foldedFrames(of.cycle_flame),
});

type FlameProps = Pick<Props, "search" | "onChange"> & { of: CodeComparison };

function FlamePanel({ of, search, onChange }: FlameProps) {
  const picture = useRef<HTMLDivElement>(null);
  const { instruction_flame, cycle_flame } = of;
  const requested = search.cost === "cycles" ? cycle_flame : instruction_flame;
  const root = requested ?? instruction_flame ?? cycle_flame;
  const cost = root === cycle_flame ? "cycles" : "instructions";
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
                onChange({ cost: value === "cycles" ? "cycles" : "instructions", at: undefined })
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
          <ProfileExport of={of} />
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

const functionRows = ({ functions, judged }: CodeComparison): Row[] => {
  const known = judgedByKey(judged);
  return [
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
      "outcome",
      "decided_by",
      "chain_share",
    ],
    ...functions.map(({ stage, name, base, head }): Row => {
      const outcome = known.get(functionKey({ stage, name }));
      const where = head?.file ? head : base;
      const both = (key: "ipp" | "calls" | "cpp"): Row => [base?.[key], head?.[key]];
      return [
        stage,
        name,
        where?.file,
        where?.line,
        ...both("ipp"),
        ...both("calls"),
        ...both("cpp"),
        outcome?.outcome,
        outcome?.by,
        outcome?.chain_share,
      ];
    }),
  ];
};
