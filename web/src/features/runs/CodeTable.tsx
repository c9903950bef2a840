// SPDX-License-Identifier: Apache-2.0
import type { RunCode, RunDetail } from "../../shared/api/types";
import { type CodeRow, FIGURES, type Figure, OUTSIDE } from "../../shared/logic/code/codeRows";
import { MISSING, signed, significant } from "../../shared/logic/text/format";
import { FunctionHistoryLink } from "../../shared/ui/links/FunctionHistoryLink";
import { OpenFunction } from "../../shared/ui/links/OpenFunction";
import { SourceLink } from "../../shared/ui/links/SourceLink";
import { ScrollTable } from "../../shared/ui/lists/ScrollTable";
import { SortHead, type Sorting } from "./SortHead";

interface Props {
  run: RunDetail;
  of: RunCode;
  rows: readonly CodeRow[];
  figures: readonly Figure[];
  label: string;
  /** With a link to each one's. */
  histories: boolean;
  /** The function that is open line by line. */
  open: string | undefined;
  onOpen: (fn: string | undefined) => void;
  sorting: Sorting;
}

/** Functions or lines with what was counted and sampled of them; one with lines is opened below the table. */
export function CodeTable({ run, of, rows, figures, label, histories, open, onOpen, sorting }: Props) {
  return (
    <ScrollTable label={label} className="code-table" tall>
      <thead>
        <tr>
          <SortHead {...sorting} name="name" left>
            Function
          </SortHead>
          <th className="left">Stage</th>
          {figures.map((figure) => (
            <SortHead key={figure} {...sorting} name={figure}>
              {FIGURES[figure]}
            </SortHead>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} className={row.fn === open ? "marked" : undefined}>
            <th scope="row" className="wrap">
              <OpenFunction
                name={row.name}
                opens={row.opens}
                opened={row.fn === open}
                onOpen={() => onOpen(row.fn === open ? undefined : row.fn)}
              />
              <span className="under">
                <Place of={of} row={row} />
              </span>
            </th>
            <td className="left">
              {row.stage}
              {histories && row.stage !== OUTSIDE && (
                <span className="function-history">
                  <FunctionHistoryLink
                    project={run.project}
                    scenario={run.scenario}
                    stage={row.stage}
                    name={row.name}
                    hostClass={run.host_class}
                  />
                </span>
              )}
            </td>
            {figures.map((figure) => (
              <td key={figure}>{shown(row.figures[figure], figure)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Place({ of, row }: { of: RunCode; row: CodeRow }) {
  const sha = row.side === "head" ? of.head_sha : of.base_sha;
  if (row.file === null || sha === null) return null;
  return <SourceLink of={of} sha={sha} file={row.file} line={row.line} />;
}

function shown(value: number | null | undefined, figure: Figure): string {
  if (value == null) return MISSING;
  return figure.startsWith("change") ? signed(value, 2) : significant(value, 3);
}
