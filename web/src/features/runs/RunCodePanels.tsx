// SPDX-License-Identifier: Apache-2.0
/** A run's rounds, its functions and lines (searched, put in order, saved), and the source of one. */
import { SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { runCodeQuery, runSourceQuery } from "../../shared/api/compare";
import type { Change, RunCode, RunDetail } from "../../shared/api/types";
import {
  type CodeView,
  codeFile,
  codeRows,
  figuresOf,
  found,
  functionKey,
  inOrder,
} from "../../shared/logic/code/codeRows";
import { costOfCause } from "../../shared/logic/run/compareSearch";
import { fileName } from "../../shared/logic/text/csv";
import { SourcePanel } from "../../shared/ui/code/SourcePanel";
import { useScrollToOpened } from "../../shared/ui/hooks/useScrollToOpened";
import { Panel } from "../../shared/ui/Panel";
import { RoundsPanel } from "../../shared/ui/run/RoundsPanel";
import { Loading } from "../../shared/ui/States";
import { ExportButtons } from "../../shared/ui/save/ExportButtons";
import { CodeTable } from "./CodeTable";
import type { RunSearch } from "./search";

interface Props {
  run: RunDetail;
  chain: Change | null;
  search: RunSearch;
  onChange: (change: RunSearch) => void;
}

export function RunCodePanels({ run, chain, search, onChange }: Props) {
  const runId = run.run_id;
  const { data, error } = useQuery(runCodeQuery(runId));
  if (error) return <p role="alert">Rounds and functions could not be read: {error.message}</p>;
  if (data === undefined) return <Loading rows={4} />;
  return (
    <>
      <RoundsPanel
        name={fileName("rounds", runId.slice(0, 8))}
        rounds={data.rounds}
        paired
        chain={chain}
        drawn={search.rounds ?? "ratio"}
        onDrawn={(drawn) => onChange({ rounds: drawn === "cpp" ? "cpp" : undefined })}
      />
      {data.functions.length > 0 && <Code run={run} of={data} search={search} onChange={onChange} />}
      <Opened run={run} of={data} search={search} onChange={onChange} />
    </>
  );
}

type CodeProps = Omit<Props, "chain"> & { of: RunCode };

function Opened({ run, of, search, onChange }: CodeProps) {
  const place = useScrollToOpened(search.fn);
  const one = of.functions.find((each) => functionKey(each) === search.fn);
  return (
    <div ref={place} className="source-panel">
      {one && (
        <SourcePanel
          query={runSourceQuery(run.run_id, one.stage, one.name)}
          of={of}
          one={one}
          search={{ ...search, cost: costOfCause(run.verdict.cause) }}
          onChange={onChange}
        />
      )}
    </div>
  );
}

/** Rows drawn at once, so that typing stays quick; a search and the file have the others. */
const MOST_DRAWN = 300;
const VIEWS: { value: CodeView; label: string }[] = [
  { value: "functions", label: "Functions" },
  { value: "head", label: "Lines of head" },
  { value: "base", label: "Lines of base" },
];
const NONE: Record<CodeView, string> = {
  functions: "No function fits.",
  head: "No line of head fits: lines need an NF built with debug information.",
  base: "No line of base fits: lines need an NF built with debug information.",
};

function Code({ run, of, search, onChange }: CodeProps) {
  const view = search.code ?? "functions";
  const all = codeRows(of.functions, view);
  const figures = figuresOf(all);
  const rows = inOrder(found(all, search.q ?? ""), search.sort, search.order === "up");
  const label = VIEWS.find((one) => one.value === view)?.label ?? "";
  return (
    <Panel
      title="Functions and lines"
      aside={
        <span className="panel-tools">
          <span className="soft">own cost, without callees</span>
          <ExportButtons
            name={fileName("run", run.run_id.slice(0, 8), view === "functions" ? view : `lines-${view}`)}
            what="functions and lines"
            rows={() => codeFile(rows, figures)}
          />
        </span>
      }
    >
      <div className="controls panel-controls">
        <SegmentedControl
          aria-label="Shown"
          size="xs"
          data={VIEWS}
          value={view}
          onChange={(value) =>
            onChange({
              code: value === "functions" ? undefined : (value as RunSearch["code"]),
              sort: undefined,
              order: undefined,
            })
          }
        />
        <TextInput
          aria-label="Search functions and lines"
          type="search"
          size="xs"
          placeholder="name, stage or file"
          value={search.q ?? ""}
          onChange={(event) => onChange({ q: event.currentTarget.value || undefined })}
        />
        <span className="soft small" role="status">
          {rows.length} of {all.length}
          {rows.length > MOST_DRAWN && `, the first ${MOST_DRAWN} drawn`}
        </span>
      </div>
      {rows.length === 0 ? (
        <p className="soft">{NONE[view]}</p>
      ) : (
        <CodeTable
          run={run}
          of={of}
          rows={rows.slice(0, MOST_DRAWN)}
          figures={figures}
          label={label}
          histories={view === "functions"}
          open={search.fn}
          onOpen={(fn) => onChange({ fn, lines: undefined })}
          sorting={{
            by: search.sort,
            up: search.order === "up",
            onSort: (sort, up) => onChange({ sort, order: up ? "up" : undefined }),
          }}
        />
      )}
    </Panel>
  );
}
