// SPDX-License-Identifier: Apache-2.0
/** One function, opened: both sides' source beside each other with what each line costs. */
import { Button, SegmentedControl } from "@mantine/core";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import type { FunctionCosts, FunctionSource, Sourced } from "../../api/types";
import { costOf, sourceCsv } from "../../logic/code/source";
import type { CompareSearch } from "../../logic/run/compareSearch";
import { fileName } from "../../logic/text/csv";
import { Panel } from "../Panel";
import { FailedPart, Loading } from "../States";
import { ExportButtons } from "../save/ExportButtons";
import { FunctionLines } from "./FunctionLines";
import { NoText, WithoutText } from "./SourceMissing";
import { SourceSides } from "./SourceSides";

export type SourceSearch = Pick<CompareSearch, "fn" | "lines" | "cost" | "line">;

interface DataProps {
  of: Sourced;
  one: FunctionCosts;
  data: FunctionSource;
  search: SourceSearch;
  onChange: (change: Pick<SourceSearch, "fn" | "lines" | "line">) => void;
}

interface Props<K extends readonly unknown[]> extends Omit<DataProps, "data"> {
  query: UseQueryOptions<FunctionSource, Error, FunctionSource, K>;
}

export function SourcePanel<K extends readonly unknown[]>({ query, of, one, search, onChange }: Props<K>) {
  const { data, error, refetch } = useQuery(query);
  return (
    <Panel
      title={
        <>
          <span className="mono">{one.name}</span> line by line
        </>
      }
      aside={
        <span className="panel-tools">
          {data && <Tools of={of} one={one} data={data} search={search} onChange={onChange} />}
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onChange({ fn: "-", lines: undefined, line: undefined })}
          >
            Close
          </Button>
        </span>
      }
    >
      {error && <FailedPart error={error} onRetry={refetch} />}
      {!error && data === undefined && <Loading rows={6} height={18} />}
      {data && <Files of={of} one={one} data={data} search={search} onChange={onChange} />}
    </Panel>
  );
}

const Tools = ({ of, one, data, search, onChange }: DataProps) => (
  <>
    {data.files.some(({ rows }) => rows.length > 0) && (
      <SegmentedControl
        size="xs"
        aria-label="Lines shown"
        data={[
          { value: "changed", label: "Changed lines" },
          { value: "all", label: "All lines" },
        ]}
        value={search.lines ?? "changed"}
        onChange={(value) => onChange({ lines: value === "all" ? "all" : undefined })}
      />
    )}
    <ExportButtons
      name={fileName("source", one.name, ...[of.base_sha, of.head_sha].map((sha) => sha?.slice(0, 7) ?? ""))}
      what={`the source of ${one.name}`}
      rows={() => sourceCsv(data.files)}
    />
  </>
);

function Files({ of, one, data, search, onChange }: DataProps) {
  const written = data.files.filter(({ rows }) => rows.length > 0);
  const cost = costOf(
    written.flatMap(({ rows }) => rows),
    search.cost,
  );
  if (written.length === 0)
    return (
      <>
        <NoText data={data} />
        <FunctionLines of={of} one={one} />
      </>
    );
  return (
    <>
      {written.map((file) => (
        <SourceSides
          key={file.file}
          of={of}
          name={one.name}
          file={file}
          cost={cost}
          whole={search.lines === "all"}
          named={search.line === undefined ? undefined : Number(search.line)}
          onWhole={() => onChange({ lines: "all" })}
        />
      ))}
      <WithoutText data={data} cost={cost} />
    </>
  );
}
